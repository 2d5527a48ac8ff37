/* SPDX-License-Identifier: MIT */
// Made by build.mjs from reader.mjs, reader.wasm and so on.
declare module 'generated/*.mjs' {
  const factory: (options: object) => Promise<never>;
  export default factory;
}
declare module 'generated/*.js' {
  const text: string;
  export default text;
}
declare module '*.css';
