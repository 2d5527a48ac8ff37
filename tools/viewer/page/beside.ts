/* SPDX-License-Identifier: MIT */
/**
 * Scripts that lie beside the page, as few need them.  From file:// no page may
 * fetch() them, but a script element may load them; what they bring is a text.
 */
declare global {
  /** The source of a worker, and coastlines. */
  var nc3zPacker: string | undefined;
  var nc3zCoast: string | undefined;
}

/** Loads a script unless its text is there already. */
export async function textBeside(script: string,
  text: () => string | undefined): Promise<string> {
  if (text() === undefined) {
    await new Promise<void>((resolve, reject) => {
      const element = document.createElement('script');
      element.src = script;
      element.onload = () => resolve();
      element.onerror = () => reject(new Error(
        `${script} could not be loaded: it must lie beside this page`));
      document.head.append(element);
    });
  }
  return text()!;
}
