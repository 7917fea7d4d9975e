import * as z from 'zod/mini';
import { fileForms } from '../../cli/fields.ts';
import { virtualRouterIdProblems } from '../group/virtual-router-id.ts';
import type { VirtualRouterIds } from '../group/vrrp.ts';

/** `API,INGRESS`: two different ones. */
export const virtualRouterIdPair = z.pipe(
  z.string().check(z.regex(/^\d{1,3},\d{1,3}$/, { error: 'expected API,INGRESS such as 77,78' })),
  z.transform((text, context): VirtualRouterIds => {
    const [api = 0, ingress = 0] = text.split(',').map(Number);
    const [problem] = virtualRouterIdProblems({ api, ingress });
    if (problem === undefined) return { api, ingress };
    context.issues.push({ code: 'custom', input: text, message: problem });
    return z.NEVER;
  }),
);

virtualRouterIdPair.register(fileForms, {
  type: ['array', 'string'],
  items: { type: 'integer', minimum: 1, maximum: 255 },
});
