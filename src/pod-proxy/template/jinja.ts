import parser, { type Node } from 'nunjucks/src/parser.js';
import type { RenderOutcome } from '../../engine/render/render-template.ts';
import { messageOf } from '../../engine/system/errors.ts';
import { createBudget } from './budget.ts';
import { expressions } from './expressions.ts';
import { type Builder, type Frame, isNode, type Part } from './part.ts';
import { statements } from './statements.ts';
import type { TemplateModel } from './template-model.ts';
import type { Value } from './value.ts';

/** A template and what it gets, as plain data. */
export interface JinjaJob {
  readonly template: string;
  readonly model: TemplateModel;
}

/**
 * Renders the part of Jinja2 that configurations need. A template reaches what the model holds and nothing else: it is
 * evaluated node by node, and what is no part of these tables is refused with its line before anything is evaluated. A budget ends
 * what takes or prints too much. The time that nunjucks takes to parse is its caller's to bound.
 */
export function renderJinja({ template, model }: JinjaJob): RenderOutcome {
  try {
    const root = build(parser.parse(template, [], {}));
    const text = `${root({ frame: frameOf(model), budget: createBudget() })}`;
    if (text.trim() === '') throw new Error('it prints nothing, expected a configuration');
    return { kind: 'rendered', text: text.endsWith('\n') ? text : `${text}\n` };
  } catch (error) {
    const line = lineOf(error);
    const where = line === undefined ? '' : ` line ${line}`;
    return {
      kind: 'failed',
      message: `Cannot render the template${where}: ${messageOf(error).split('\n')[0]}`,
    };
  }
}

const builders: ReadonlyMap<string, Builder> = new Map([...statements, ...expressions]);

function build(node: unknown): Part {
  if (!isNode(node)) throw new Error('it has an expression without a value');
  try {
    const builder = builders.get(node.typename);
    if (builder !== undefined) return withLine(node, builder(node, build));
    throw new Error(`"${node.typename}" is not supported, expected for, if, set, filters and expressions`);
  } catch (error) {
    throw atLine(node, error);
  }
}

function withLine(node: Node, part: Part): Part {
  return (run) => {
    try {
      run.budget.spend(1);
      return part(run);
    } catch (error) {
      throw atLine(node, error);
    }
  };
}

/** An error has the line of the innermost node, under the name that nunjucks gives it. */
function atLine({ lineno }: Node, error: unknown): unknown {
  return lineOf(error) ? error : Object.assign(new Error(messageOf(error)), { lineno: lineno + 1 });
}

function lineOf(error: unknown): number | undefined {
  const line = error instanceof Error && 'lineno' in error ? Number(error.lineno) : 0;
  return line > 0 ? line : undefined;
}

function frameOf({ hosts, certs }: TemplateModel): Frame {
  const variables = new Map<string, Value>([
    ['hosts', new Map(Object.entries(hosts))],
    ['certs', new Map(Object.entries(certs))],
    ['True', true],
    ['False', false],
    ['None', null],
  ]);
  return { variables: new Map(), parent: { variables, parent: undefined } };
}
