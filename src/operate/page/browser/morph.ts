/**
 * Makes `live` equal to `wanted` and touches only what differs: what the user has opened, focused, selected or is being read
 * to stays as it is.
 */
export function morph(live: Element, wanted: Element): void {
  for (const { name } of [...live.attributes])
    if (!wanted.hasAttribute(name) && !isOwn(live, name)) live.removeAttribute(name);
  for (const { name, value } of wanted.attributes)
    if (live.getAttribute(name) !== value) live.setAttribute(name, value);
  const [before, after] = [[...live.childNodes], [...wanted.childNodes]];
  for (const [index, node] of after.entries()) {
    const old = before[index];
    if (old === undefined) live.append(node);
    else morphNode(old, node);
  }
  for (const node of before.slice(after.length)) node.remove();
}

/** Whether it is open is the user's choice, not the server's. */
function isOwn(element: Element, attribute: string): boolean {
  return element.localName === 'details' && attribute === 'open';
}

function morphNode(old: ChildNode, node: ChildNode): void {
  if (old instanceof Element && node instanceof Element && old.tagName === node.tagName) morph(old, node);
  else if (old.nodeType !== node.nodeType || old instanceof Element) old.replaceWith(node);
  else if (old.nodeValue !== node.nodeValue) old.nodeValue = node.nodeValue;
}
