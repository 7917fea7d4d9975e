/** How a backend begins in what hawser renders. */
const BACKEND = '\nbackend ';
/** What lets one section mean something for another one. The words are looked for first, since they are found faster. */
export const REFERENCE_WORDS = ['track', '.if', '.endif'];
export const REFERENCE = /^[ \t]*(?:(?:default-)?server\S*[ \t](?:.*[ \t])?track[ \t]|\.(?:if|endif)\b)/m;

interface Texts {
  readonly before: string;
  readonly after: string;
}

/**
 * Two configurations without the backends that are the same in both: of ten thousand, one has changed. The whole ones where a backend may
 * depend on another one, or on defaults that do not come before all of them.
 */
export function changedSections(before: string, after: string): Texts {
  const [old, now] = [sectionsOf(before), sectionsOf(after)];
  if (old === undefined || now === undefined) return { before, after };
  const isChanged = (other: Sections) => (section: string) =>
    other.backends.get(titleOf(section)) !== section;
  return {
    before: [old.head, ...[...old.backends.values()].filter(isChanged(now))].join(''),
    after: [now.head, ...[...now.backends.values()].filter(isChanged(old))].join(''),
  };
}

interface Sections {
  readonly head: string;
  /** By their first lines. */
  readonly backends: ReadonlyMap<string, string>;
}

function sectionsOf(text: string): Sections | undefined {
  const first = text.indexOf(BACKEND);
  if (first === -1 || text.indexOf('\ndefaults', first) !== -1) return undefined;
  // A tenant may have such a word in a header, which refers to nothing.
  if (REFERENCE_WORDS.some((word) => text.includes(word)) && REFERENCE.test(text)) return undefined;
  const backends = new Map<string, string>();
  for (let at = first; at !== -1; ) {
    const next = text.indexOf(BACKEND, at + 1);
    const section = next === -1 ? text.slice(at) : text.slice(at, next);
    const title = titleOf(section);
    // HAProxy takes both for one, or refuses them.
    if (backends.has(title)) return undefined;
    backends.set(title, section);
    at = next;
  }
  return { head: text.slice(0, first), backends };
}

function titleOf(section: string): string {
  return section.slice(1, section.indexOf('\n', 1));
}
