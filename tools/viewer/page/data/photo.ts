/* SPDX-License-Identifier: MIT */
/** A picture of a picture: canvas and SVG in one PNG. */

/** The styles that text and lines of an SVG have from the page. */
const STYLES = ['fill', 'stroke', 'stroke-width', 'font-family', 'font-size',
  'font-weight'] as const;

/** A copy that has its styles in itself. */
function withStyles(svg: SVGSVGElement): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [from, to] = [svg, copy].map((s) => [...s.querySelectorAll('*')]);
  from!.forEach((element, i) => {
    const style = getComputedStyle(element);
    STYLES.forEach((name) => (to![i] as SVGElement).style
      .setProperty(name, style.getPropertyValue(name)));
  });
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return copy;
}

function imageOf(svg: SVGSVGElement): Promise<HTMLImageElement> {
  const text = new XMLSerializer().serializeToString(withStyles(svg));
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  return image.decode().then(() => image);
}

/** Twice as fine as the screen, on the ground of the page. */
export async function pictureOf(room: HTMLElement): Promise<Blob> {
  const svg = room.querySelector('svg')!;
  const box = svg.getBoundingClientRect();
  const image = await imageOf(svg);
  const photo = document.createElement('canvas');
  [photo.width, photo.height] = [2 * box.width, 2 * box.height];
  const context = photo.getContext('2d')!;
  context.scale(2, 2);
  const fill = (element: Element, at: DOMRect) => {
    context.fillStyle = getComputedStyle(element).backgroundColor;
    context.fillRect(at.x - box.x, at.y - box.y, at.width, at.height);
  };
  fill(document.querySelector('#root')!, box);
  const canvas = room.querySelector('canvas');
  if (canvas) {
    const at = canvas.getBoundingClientRect();
    fill(canvas.parentElement!, at);
    context.imageSmoothingEnabled = false;
    context.drawImage(canvas, at.x - box.x, at.y - box.y, at.width, at.height);
  }
  context.drawImage(image, 0, 0, box.width, box.height);
  return new Promise((resolve, reject) => photo.toBlob((blob) => blob ?
    resolve(blob) : reject(new Error('the browser makes no picture of it'))));
}
