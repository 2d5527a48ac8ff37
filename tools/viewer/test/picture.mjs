/** How much of two pictures differs; the browser decodes them. */

/** Squares of so many pixels are compared, by their mean colours. */
const SIDE = 16;
/** Colours that are nearer than that are the same. */
const NEAR = 16;

/** The part of all squares that differ, 0 to 1; 1 for other sizes. */
export async function differingPart(browser, a, b) {
  const page = await browser.newPage();
  try {
    return await page.evaluate(async ([pictures, side, near]) => {
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
      const squares = (image) => {
        const across = Math.ceil(image.width / side);
        const sums = new Float64Array(
          4 * across * Math.ceil(image.height / side));
        for (let i = 0; i < image.data.length; i += 4) {
          const at = 4 * (Math.floor(i / 4 / image.width / side) * across +
            Math.floor(i / 4 % image.width / side));
          for (let k = 0; k < 3; k++) {
            sums[at + k] += image.data[i + k];
          }
          sums[at + 3]++;
        }
        return sums;
      };
      const [p, q] = [squares(x), squares(y)];
      let n = 0;
      for (let i = 0; i < p.length; i += 4) {
        if ([0, 1, 2].some((k) =>
          Math.abs(p[i + k] - q[i + k]) > near * p[i + 3])) {
          n++;
        }
      }
      return 4 * n / p.length;
    }, [[a.toString('base64'), b.toString('base64')], SIDE, NEAR]);
  } finally {
    await page.close();
  }
}
