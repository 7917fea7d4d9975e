/** Requests the page every two seconds and shows what has changed. Reports when there is no answer. */

const REFRESH_MS = 2_000;
const TIMEOUT_MS = 5_000;

const find = (id: string, root: Document = document): Element => {
  const element = root.getElementById(id);
  if (element === null) throw new Error(`Cannot find "${id}": expected it in the page`);
  return element;
};

await refresh();

async function refresh(): Promise<void> {
  try {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!answer.ok) throw new Error(answer.statusText);
    show(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    document.documentElement.dataset['contact'] = 'live';
    setText('contact', 'Live');
  } catch {
    showLost();
  }
  setTimeout(refresh, REFRESH_MS);
}

function show(next: Document): void {
  update(find('state'), find('state', next));
  document.title = next.title;
  setText('verdict', find('verdict', next).textContent);
  find('at').replaceWith(find('at', next));
}

/** Replaces only what differs, so that the reader's open details, selection and screen-reader position are kept. */
function update(live: Element, desired: Element): void {
  // The reader decides whether details are open.
  if (live instanceof HTMLDetailsElement && desired instanceof HTMLDetailsElement) desired.open = live.open;
  if (live.isEqualNode(desired)) return;
  const old = [...live.children];
  const next = [...desired.children];
  const isSameBox = live.cloneNode().isEqualNode(desired.cloneNode()) && old.length === next.length;
  // These elements contain only elements and no text.
  if (isSameBox && live.matches('main, div, section, details'))
    for (const [index, child] of old.entries()) update(child, next[index] ?? child);
  else live.replaceWith(desired);
}

/** Marks the page as outdated, so that an old state does not look current. */
function showLost(): void {
  if (document.documentElement.dataset['contact'] === 'lost') return;
  document.documentElement.dataset['contact'] = 'lost';
  document.title = `No contact · ${document.title}`;
  setText('contact', 'No contact. This is how it was at');
}

/** Sets the text if it differs, since screen readers announce every change. */
function setText(id: string, text: string | null): void {
  const element = find(id);
  if (element.textContent !== text) element.textContent = text;
}
