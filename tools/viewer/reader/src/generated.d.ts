/* SPDX-License-Identifier: MIT */
// Made by build.mjs from reader.mjs and reader.wasm.
declare module '*/reader.mjs' {
  const factory: (options: object) => Promise<never>;
  export default factory;
}
declare module '*/packer.mjs' {
  const factory: (options: object) => Promise<never>;
  export default factory;
}
declare module '*/reader.wasm.js' {
  const text: string;
  export default text;
}
declare module '*/packer.wasm.js' {
  const text: string;
  export default text;
}
declare module '*/generated/worker.js' {
  const text: string;
  export default text;
}
declare module '*.css';
