/** Asks for the page every two seconds and shows what has changed; says so when there is no answer. */

const AGAIN_MS = 2_000;
const PATIENCE_MS = 5_000;

const find = (id: string, root: Document = document): Element => {
  const element = root.getElementById(id);
  if (element === null) throw new Error(`Cannot find "${id}": expected it in the page`);
  return element;
};

await refresh();

async function refresh(): Promise<void> {
  try {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!answer.ok) throw new Error(answer.statusText);
    show(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    document.documentElement.dataset['contact'] = 'live';
    say('contact', 'Live');
  } catch {
    lost();
  }
  setTimeout(refresh, AGAIN_MS);
}

function show(next: Document): void {
  update(find('state'), find('state', next));
  document.title = next.title;
  say('verdict', find('verdict', next).textContent);
  find('at').replaceWith(find('at', next));
}

/** Replaces what differs and nothing else: what the reader has opened, selected or is being read to stays as it is. */
function update(live: Element, wanted: Element): void {
  // Whether it is open is the reader's choice.
  if (live instanceof HTMLDetailsElement && wanted instanceof HTMLDetailsElement) wanted.open = live.open;
  if (live.isEqualNode(wanted)) return;
  const old = [...live.children];
  const next = [...wanted.children];
  const isSameBox = live.cloneNode().isEqualNode(wanted.cloneNode()) && old.length === next.length;
  // These hold elements and no text of their own.
  if (isSameBox && live.matches('main, div, section, details'))
    for (const [index, child] of old.entries()) update(child, next[index] ?? child);
  else live.replaceWith(wanted);
}

/** The page may show a state that is long past, which must not look current. */
function lost(): void {
  if (document.documentElement.dataset['contact'] === 'lost') return;
  document.documentElement.dataset['contact'] = 'lost';
  document.title = `No contact · ${document.title}`;
  say('contact', 'No contact. This is how it was at');
}

/** A screen reader announces what changes, and not what is repeated. */
function say(id: string, text: string | null): void {
  const element = find(id);
  if (element.textContent !== text) element.textContent = text;
}
