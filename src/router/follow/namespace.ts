import * as z from 'zod/mini';
import { labelName } from '../metadata.ts';
import { reader } from './reading.ts';

/** The fields of a Namespace that the router reads, to decide whether it serves the namespace. */
export interface Namespace {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

const schema = z.object({
  metadata: z.object({ name: labelName, labels: z.nullish(z.record(z.string(), z.string())) }),
});

export const readNamespace = reader(
  schema,
  ({ metadata: { name, labels } }): Namespace => ({ name, labels: labels ?? {} }),
);
