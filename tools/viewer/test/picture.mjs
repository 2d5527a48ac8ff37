/** How much of two pictures differs; the browser decodes them. */

/** Colours that are nearer than that are the same. */
const NEAR = 40;

/** The part of all pixels that differ, 0 to 1; 1 for other sizes. */
export async function differingPart(browser, a, b) {
  const page = await browser.newPage();
  try {
    return await page.evaluate(async ([pictures, near]) => {
      const [x, y] = await Promise.all(pictures.map(async (base64) => {
        const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes]));
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const context = canvas.getContext('2d');
        context.drawImage(bitmap, 0, 0);
        return context.getImageData(0, 0, bitmap.width, bitmap.height);
      }));
      if (x.width !== y.width || x.height !== y.height) {
        return 1;
      }
      let n = 0;
      for (let i = 0; i < x.data.length; i += 4) {
        if ([0, 1, 2].some((k) => Math.abs(x.data[i + k] - y.data[i + k]) >
            near)) {
          n++;
        }
      }
      return 4 * n / x.data.length;
    }, [[a.toString('base64'), b.toString('base64')], NEAR]);
  } finally {
    await page.close();
  }
}
