import type { ProgramAnswer } from '../../engine/examine/ask-program.ts';
import type { SeenNode } from '../../engine/examine/seen.ts';
import type { ProductStatus, ProgramStatus } from './product-status.ts';

/** The answers of the requested programs. */
export type Answers = readonly (ProgramAnswer<object> & { readonly asked: ProgramStatus })[];

/**
 * Returns the answers that are relevant on this machine. A pod of a Deployment is here if one of its programs is present. The programs of
 * nodes are relevant everywhere except in such a pod. This is such a pod if `isInstalled` is false and no program of nodes is present, apart
 * from those that the pod runs itself.
 */
export function answersHere(
  answers: Answers,
  products: readonly ProductStatus[],
  isInstalled: boolean,
): Answers {
  const isThere = (name: string): boolean =>
    answers.some(({ asked, isThere }) => asked.name === name && isThere);
  const namesOf = (some: readonly ProductStatus[]) =>
    some.flatMap(({ inputs }) => inputs.programs.map(({ name }) => name));
  const pods = products.filter(
    (product) => product.inputs.home.kind === 'pod' && namesOf([product]).some(isThere),
  );
  const beside = pods.flatMap(({ inputs: { home } }) => (home.kind === 'pod' ? home.beside : []));
  const ofNodes = namesOf(products.filter(({ inputs }) => inputs.home.kind === 'node'));
  const isNode =
    isInstalled || pods.length === 0 || ofNodes.some((name) => !beside.includes(name) && isThere(name));
  const counted = new Set([...namesOf(pods), ...(isNode ? ofNodes : beside)]);
  return answers.filter(({ asked }) => counted.has(asked.name));
}

/** The products with at least one program on a node, whether or not it answers. */
export function productsAt(
  { programs }: Pick<SeenNode, 'programs'>,
  products: readonly ProductStatus[],
): readonly ProductStatus[] {
  const names = new Set(programs.map(({ name }) => name));
  return products.filter(({ inputs }) => inputs.programs.some(({ name }) => names.has(name)));
}
