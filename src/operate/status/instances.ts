import type { Section } from '../../engine/examine/section.ts';
import type { NodeStatus } from './node-status.ts';
import type { ProductStatus } from './product-status.ts';

/** The products of which a node may have more than one. */
export function instancedAmong(products: readonly ProductStatus[]): readonly ProductStatus[] {
  return products.filter(({ hasInstances }) => hasInstances);
}

/** Each instance as if the node had nothing else: what a product says of a node, it says of an instance too. */
export function instancesOf(
  node: NodeStatus,
): readonly { readonly name: string; readonly node: NodeStatus }[] {
  const { v, at, node: nodeName, instances = [] } = node;
  return instances.map(({ name, ...said }) => ({ name, node: { v, at, node: nodeName, ...said } }));
}

/** Every program of a node, those of its instances by both names. */
export function allPrograms(node: NodeStatus): NodeStatus['programs'] {
  const named = instancesOf(node).flatMap(({ name, node: { programs } }) =>
    programs.map((program) => ({ ...program, name: `${program.name} of ${name}` })),
  );
  return [...node.programs, ...named];
}

/** What the products say of the instances of a node, each under the name of its own. */
export function instanceSections(here: NodeStatus, products: readonly ProductStatus[]): readonly Section[] {
  return instancesOf(here).flatMap(({ name, node }) =>
    instancedAmong(products)
      .flatMap((product) => product.sections({ vips: [], here: node, peers: [] }))
      .map((section) => named(section, name)),
  );
}

function named({ id, title, about, parts, place }: Section, name: string): Section {
  return {
    ...{ id: `${id}-${name}`, title: `${title}, instance ${name}`, place },
    ...(about !== undefined && { about: `${about} of ${name}` }),
    parts: parts.map(({ tables = [], ...part }) => ({
      ...part,
      tables: tables.map(({ noun, label, ...table }) => ({
        ...{ ...table, label: `${label} of ${name}` },
        ...(noun !== undefined && { noun: `Instance ${name}: ${noun}` }),
      })),
    })),
  };
}
