import * as z from 'zod/mini';
import { MAX_PEM_LENGTH } from '../../haproxy/certificates/pem.ts';
import { metadata } from '../metadata.ts';
import { reader } from './reading.ts';

/** The fields of a Secret that the router reads: PEM texts, '' if missing. An oversized text is truncated, but stays over the limit. */
export interface Secret {
  readonly namespace: string;
  readonly name: string;
  readonly isTls: boolean;
  readonly certificate: string;
  readonly key: string;
}

const values = z.nullish(z.record(z.string(), z.unknown()));
const schema = z.object({ metadata, type: z.nullish(z.string()), data: values, stringData: values });

export const readSecret = reader(schema, ({ metadata, type, data, stringData }): Secret => {
  const textOf = (name: string): string => {
    const plain = stringData?.[name];
    const encoded = data?.[name];
    if (typeof plain === 'string') return plain.slice(0, MAX_PEM_LENGTH + 1);
    return typeof encoded === 'string'
      ? Buffer.from(encoded.slice(0, 2 * MAX_PEM_LENGTH), 'base64').toString()
      : '';
  };
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    isTls: type === 'kubernetes.io/tls',
    certificate: textOf('tls.crt'),
    key: textOf('tls.key'),
  };
});
