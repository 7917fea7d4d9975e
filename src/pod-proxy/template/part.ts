import type { Node } from 'nunjucks/src/parser.js';
import type { Budget } from './budget.ts';
import type { Value } from './value.ts';

/** A compiled node. Evaluating a statement returns its text, an expression its value. */
export type Part = (run: Run) => Value;

/** Compiles a node. Throws for an unsupported node, with its line. */
export type Build = (node: unknown) => Part;
export type Builder = (node: Node, build: Build) => Part;

export interface Run {
  readonly frame: Frame;
  readonly budget: Budget;
}

/** The variables of a loop, of the template, or, without a parent, the model's. */
export interface Frame {
  readonly variables: Map<string, Value>;
  readonly parent: Frame | undefined;
}

/** The innermost frame with this variable; undefined if there is none. */
export function ownerOf(frame: Frame | undefined, name: string): Frame | undefined {
  return frame === undefined || frame.variables.has(name) ? frame : ownerOf(frame.parent, name);
}

/** Changes an existing variable; otherwise creates one in `frame`. The model's variables are never changed. */
export function assign(frame: Frame, name: string, value: Value): void {
  const owner = ownerOf(frame, name);
  (owner?.parent === undefined ? frame : owner).variables.set(name, value);
}

/** Letters, digits and `_`; nunjucks accepts many other characters. */
const word = /^[A-Za-z][A-Za-z0-9_]*$/;

/** The name of a symbol. Throws for other nodes and invalid names. */
export function wordOf(node: unknown): string {
  const name = isNode(node) && node.typename === 'Symbol' ? node['value'] : undefined;
  if (typeof name === 'string' && word.test(name)) return name;
  return refuse('name', isNode(node) ? (node['value'] ?? node.typename) : node);
}

export function refuse(what: string, found: unknown): never {
  throw new Error(`the ${what} ${JSON.stringify(`${found}`.slice(0, 60))} is not supported`);
}

export function nodeIn(node: Node, field: string): Node {
  const found = node[field];
  if (isNode(found)) return found;
  return refuse(node.typename, `without ${field}`);
}

export function childrenOf(node: Node): readonly unknown[] {
  return Array.isArray(node['children']) ? node['children'] : [];
}

export function isNode(part: unknown): part is Node {
  return typeof part === 'object' && part !== null && 'typename' in part;
}
