import { Script } from 'node:vm';

/** The template's name for EJS. It is safe to print and can be recognised in EJS's messages. */
export const TEMPLATE_NAME = 'template';

export interface TemplateError {
  /** Counted from 1; undefined if the template could not be split into tags. */
  readonly line: number | undefined;
  readonly what: string;
}

/** Parses a runtime error of EJS: `template:LINE`, some lines of the template, a blank line, and the message. */
export function runError(message: string): TemplateError {
  const head = new RegExp(`^${TEMPLATE_NAME}:(\\d+)\\n`).exec(message);
  if (head === null) return { line: undefined, what: message };
  return { line: Number(head[1]), what: message.slice(message.indexOf('\n\n') + 2) };
}

/**
 * Locates a compile error. EJS does not report the line, so `vm` compiles the generated program again; its errors have a line, and EJS's `__line = N`
 * leads back to the template line. Nothing is executed.
 */
export function compileError(templateText: string, generated: string, message: string): TemplateError {
  const what = message.split(` in ${TEMPLATE_NAME} while compiling ejs`)[0] ?? message;
  if (message.startsWith('Could not find matching close tag'))
    return {
      line: lineOfUnclosedTag(templateText),
      what: 'a tag is never closed, expected "%>" before the next "<%"',
    };
  return {
    line: lineInTemplate(generated),
    what: `the code between the tags is not valid JavaScript: ${what}`,
  };
}

/** Like EJS, searches for the end of each tag before the next one starts. */
function lineOfUnclosedTag(templateText: string): number | undefined {
  const tag = /<%(?!%)|%>/g;
  let open: number | undefined;
  for (const match of templateText.matchAll(tag)) {
    if (match[0] === '<%' && open !== undefined) break;
    open = match[0] === '<%' ? match.index : undefined;
  }
  return open === undefined ? undefined : templateText.slice(0, open).split('\n').length;
}

function lineInTemplate(generated: string): number | undefined {
  const at = lineOfSyntaxError(`(function () { "use strict";\n${generated}})`);
  if (at === undefined) return undefined;
  const before = generated
    .split('\n')
    .slice(0, at - 2)
    .join('\n');
  const marks = [...before.matchAll(/__line = (\d+)/g)];
  return Number(marks.at(-1)?.[1] ?? 1);
}

function lineOfSyntaxError(source: string): number | undefined {
  try {
    new Script(source, { filename: TEMPLATE_NAME });
    return undefined;
  } catch (error) {
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    const line = new RegExp(`^${TEMPLATE_NAME}:(\\d+)`).exec(stack)?.[1];
    return line === undefined ? undefined : Number(line);
  }
}
