// Pictures to move: an evening in the mountains, and the pixels of any picture.

export function drawLandscape() {
  const canvas = new OffscreenCanvas(512, 512);
  const context = canvas.getContext("2d");
  const sky = context.createLinearGradient(0, 0, 0, 400);
  ["#137", "#86a", "#f97", "#feb"].forEach((color, i) => sky.addColorStop(i / 3, color));
  context.fillStyle = sky;
  context.fillRect(0, 0, 512, 512);
  context.fillStyle = "#ffd";
  context.arc(345, 190, 46, 0, 7);
  context.fill();
  for (let i = 0; i < 6; i++) {
    context.fillStyle = `hsl(${310 - 16 * i} ${26 + 3 * i}% ${66 - 10 * i}%)`;
    for (let x = 0; x < 512; x++) {
      context.fillRect(x, 235 + 48 * i + 34 * Math.sin(x / (95 - 9 * i) + 2.4 * i) + 11 * Math.sin(x / 21 + i), 1, 512);
    }
  }
  return canvas;
}

/** The pixels of the middle of a picture, in a square. */
export function readPixels(picture, side) {
  const context = new OffscreenCanvas(side, side).getContext("2d");
  const { width, height } = picture;
  const size = Math.min(width, height);
  context.drawImage(picture, (width - size) / 2, (height - size) / 2, size, size, 0, 0, side, side);
  return new Int32Array(context.getImageData(0, 0, side, side).data.buffer);
}
