// SPDX-License-Identifier: MIT
// What a test asks a page that a tool made (browsers.py); the answer is JSON in data-probe.
const probe = {
   canvas: Object.assign(document.createElement("canvas"), { width: 1, height: 1 })
      .getContext("2d", { willReadFrequently: true }),

   // [red, green, blue, alpha], 0 to 1, of any colour of CSS.
   color(text) {
      this.canvas.clearRect(0, 0, 1, 1);
      this.canvas.fillStyle = text;
      this.canvas.fillRect(0, 0, 1, 1);
      return [...this.canvas.getImageData(0, 0, 1, 1).data].map(value => value / 255);
   },

   over(front, back) {
      return [0, 1, 2].map(i => front[i] * front[3] + back[i] * (1 - front[3])).concat(1);
   },

   // The colours that may be behind an element's text: its own background, or that of what it is in; with a
   // gradient's colours over it.
   backs(element) {
      if (!element)
         return [[1, 1, 1, 1]];
      const style = getComputedStyle(element), own = this.color(style.backgroundColor);
      const below = own[3] < 1 ? this.backs(element.parentElement) : [own];
      const plain = below.map(back => this.over(own, back));
      const stops = style.backgroundImage.match(/(rgba?|color|oklab|oklch)\([^()]*\)/g) || [];
      return plain.concat(stops.flatMap(stop => plain.map(back => this.over(this.color(stop), back))));
   },

   // WCAG 2.1, relative luminance.
   luminance(color) {
      const [r, g, b] = color.map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
   },

   contrast(element) {
      const style = getComputedStyle(element);
      const front = this.color(element instanceof SVGElement ? style.fill : style.color);
      return Math.min(...this.backs(element).map(back => {
         const both = [this.luminance(this.over(front, back)), this.luminance(back)].sort((a, b) => b - a);
         return (both[0] + 0.05) / (both[1] + 0.05);
      }));
   },

   // Elements that have a text of their own and are seen.
   texts() {
      const found = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
         const element = walker.currentNode.parentElement;
         if (walker.currentNode.data.trim() && !element.closest("script, style, title") && element.checkVisibility())
            found.add(element);
      }
      return [...found];
   },

   is_large(element) {
      const style = getComputedStyle(element), size = parseFloat(style.fontSize);
      return size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
   },

   // Whether two clicks at the head of a column sort the first table that can be sorted down, then up.
   sorts(title) {
      const button = [...document.querySelectorAll("th button")].find(b => b.textContent === title);
      const table = button.closest("table"), column = button.parentNode.cellIndex;
      return [0, 1].map(() => {
         button.click();
         const values = [...table.querySelectorAll("tr[id]")].map(row => +row.cells[column].dataset.v);
         return values.every((value, i) => !i || values[i - 1] >= value);
      });
   },

   // Where pictures are in the window, without their borders.
   boxes() {
      return [...document.images].map(image => image.getBoundingClientRect())
         .map(r => [r.left + 4, r.top + 4, r.right - 4, r.bottom - 4].map(Math.round))
         .filter(([x0, y0, x1, y1]) => x0 >= 0 && y0 >= 0 && x1 < innerWidth && y1 < innerHeight);
   },

   // Numbers of charts that are cut, or too small to be read.
   poor_labels() {
      return [...document.querySelectorAll("svg text")].filter(label => {
         const box = label.getBoundingClientRect(), chart = label.closest("svg").getBoundingClientRect();
         return box.left < chart.left - 1 || box.right > chart.right + 1 || box.bottom > chart.bottom + 1 ||
            box.height < 10;
      }).map(label => label.textContent);
   },

   // Texts that do not fit where what does not fit is not shown, and cannot be scrolled to.
   cut(elements) {
      return elements.filter(element => {
         const style = getComputedStyle(element);
         return style.overflowX === "hidden" && element.scrollWidth > element.clientWidth + 1;
      }).map(element => element.textContent.trim().slice(0, 40));
   },
};

addEventListener("load", () => {
   const root = document.documentElement, boxes = probe.boxes();
   for (const details of document.querySelectorAll("details"))
      details.open = true;
   const elements = probe.texts(), ratios = new Map();
   for (const element of elements) {
      const ratio = probe.contrast(element), key = `${element.tagName} ${element.className} ${ratio.toFixed(2)}`;
      ratios.set(key, [element.textContent.trim().slice(0, 40), ratio, probe.is_large(element)]);
   }
   root.dataset.probe = JSON.stringify({
      wider: root.scrollWidth - innerWidth,
      cut: probe.cut([...document.body.querySelectorAll("*")].filter(element => element.textContent.trim()))
         .concat(probe.poor_labels()),
      broken: [...document.images].filter(image => !image.naturalWidth).length,
      boxes,
      rows: document.querySelectorAll("tr[id]").length,
      dark: matchMedia("(prefers-color-scheme: dark)").matches,
      sorts: probe.sorts("COLUMN"),
      count: elements.length,
      texts: [...ratios.values()],
   });
});
