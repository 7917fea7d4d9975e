import type { ProgramAnswer } from '../../engine/examine/ask-program.ts';
import type { SeenNode } from '../../engine/examine/seen.ts';
import type { ProductStatus, ProgramStatus } from './product-status.ts';

/** The answer of each program that was asked. */
export type Answers = readonly (ProgramAnswer<string, object> & { readonly asked: ProgramStatus })[];

/**
 * The answers that count on this machine. A pod of a Deployment is here if one of its programs is. The programs of nodes count
 * everywhere but in such a pod: where none of them answers, but for those that the pod has itself, and `isInstalled` is false.
 */
export function answersHere(
  answers: Answers,
  products: readonly ProductStatus[],
  isInstalled: boolean,
): Answers {
  const isThere = (name: string): boolean =>
    answers.some(({ asked, isThere }) => asked.name === name && isThere);
  const namesOf = (some: readonly ProductStatus[]) =>
    some.flatMap(({ look }) => look.programs.map(({ name }) => name));
  const pods = products.filter(
    (product) => product.look.home.kind === 'pod' && namesOf([product]).some(isThere),
  );
  const beside = pods.flatMap(({ look: { home } }) => (home.kind === 'pod' ? home.beside : []));
  const ofNodes = namesOf(products.filter(({ look }) => look.home.kind === 'node'));
  const isNode =
    isInstalled || pods.length === 0 || ofNodes.some((name) => !beside.includes(name) && isThere(name));
  const counted = new Set([...namesOf(pods), ...(isNode ? ofNodes : beside)]);
  return answers.filter(({ asked }) => counted.has(asked.name));
}

/** The products of which a node has a program, silent or not. */
export function productsAt(
  { programs }: Pick<SeenNode, 'programs'>,
  products: readonly ProductStatus[],
): readonly ProductStatus[] {
  const names = new Set(programs.map(({ name }) => name));
  return products.filter(({ look }) => look.programs.some(({ name }) => names.has(name)));
}
