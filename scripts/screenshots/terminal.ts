/** What a program wrote to a terminal of 80 columns, as a page that looks like one with light letters on dark. */
export function terminalPage(output: string): string {
  return `<!doctype html><meta charset="utf-8"><style>${style}</style><pre>${coloured(output.replaceAll('\r', ''))}</pre>`;
}

const style = `
html { background: #14181f; }
body { margin: 0; width: max-content; }
pre { margin: 0; padding: 16px 18px; width: 80ch; color: #d8dee6; font: 14px/1.35 "DejaVu Sans Mono", monospace; }
.s31 { color: #ff7b72; } .s32 { color: #56d364; } .s33 { color: #e3b341; }
`;

/** The few sequences that hawser writes: a colour, and the end of it. */
function coloured(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a colour begins with.
  return escaped.replaceAll(/\u001b\[(\d+)m/g, (_, code) =>
    code === '0' ? '</span>' : `<span class="s${code}">`,
  );
}
