/** What tests run inside of the page: each function stands for itself, since it is sent there as text. */

/** A text, or a shape, and how well it can be told from what is behind it. */
export interface Contrast {
  readonly what: string;
  readonly ratio: number;
}

/** WCAG 2's ratio for every visible text, and for every shape. */
export function contrasts(): { readonly texts: readonly Contrast[]; readonly shapes: readonly Contrast[] } {
  type Colour = readonly [red: number, green: number, blue: number, alpha: number];
  const parse = (text: string): Colour => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
    return [red, green, blue, alpha];
  };
  const luminance = ([red, green, blue]: Colour): number => {
    const [r = 0, g = 0, b = 0] = [red, green, blue].map((channel) => {
      const value = channel / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element: Element | null): Colour => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0) return colour;
    }
    return [255, 255, 255, 1];
  };
  const ratio = (element: Element, colour: string): number => {
    const [a, b] = [luminance(parse(colour)), luminance(behind(element))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const texts: Contrast[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.textContent?.trim() ?? '';
    const element = node.parentElement;
    if (text === '' || element === null || !element.checkVisibility() || element.closest('noscript, title'))
      continue;
    const { color, fill } = getComputedStyle(element);
    texts.push({
      what: text.slice(0, 40),
      ratio: ratio(element, element instanceof SVGElement ? fill : color),
    });
  }
  const shapes = [...document.querySelectorAll('.icon')].map((icon) => ({
    what: icon.getAttribute('class') ?? '',
    ratio: ratio(icon, getComputedStyle(icon).color),
  }));
  return { texts, shapes };
}

/** What sticks out at the right of the window, in a word each. */
export function stickingOut(): readonly string[] {
  const width = document.documentElement.clientWidth;
  return [...document.body.querySelectorAll('*')]
    .filter(
      (element) =>
        element.getBoundingClientRect().right > width + 0.5 &&
        element.closest('svg, .hidden, thead') === null,
    )
    .map((element) => `${element.localName}.${element.className}: ${element.textContent?.slice(0, 30)}`);
}

/** Words of states that stand on two lines each: they are the page's own, and none is too long for where it stands. */
export function brokenWords(): readonly string[] {
  return [...document.querySelectorAll('main .state span')].flatMap((element) => {
    const text = element.firstChild;
    if (text?.nodeType !== Node.TEXT_NODE) return [];
    return [...(text.textContent ?? '').matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      return range.getClientRects().length > 1 ? [word] : [];
    });
  });
}

/** Every state on the page: its shape and its words. */
export function statesShown(): readonly { readonly shape: string; readonly words: string }[] {
  return [...document.querySelectorAll('main .state, h1')].map((element) => ({
    shape: element.querySelector('use')?.getAttribute('href') ?? '',
    words: element.textContent?.trim() ?? '',
  }));
}
