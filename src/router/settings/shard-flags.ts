import * as z from 'zod/mini';
import { flag } from '../../cli/command-spec.ts';
import { parsedBy } from '../../cli/fields.ts';
import { parseLabelSelector } from '../../engine/kube/label-selector.ts';
import { labelName } from '../metadata.ts';
import { parseFieldSelector, selectableFields } from './field-selector.ts';

const labels = parsedBy(parseLabelSelector, 'expected a label selector such as "a=b,c!=d,e in (f,g),h,!i"');
const fields = parsedBy(
  parseFieldSelector,
  `expected FIELD=VALUE or FIELD!=VALUE, separated by commas, of the fields ${selectableFields.join(', ')}`,
);
/** `*` is every project that the router may see. */
const projects = parsedBy(
  (text) => parseLabelSelector(text.trim() === '*' ? '' : text),
  'expected a label selector, or * for all',
);

/** Which routes are this router's: what other routers serve gets neither configuration nor status. */
export const shardFlags = {
  routeLabels: flag('<selector>', z.optional(labels), 'only Routes and Ingresses with these labels', {
    variable: 'ROUTE_LABELS',
  }),
  routeFields: flag('<selector>', z.optional(fields), 'only routes with these fields, such as spec.host', {
    variable: 'ROUTE_FIELDS',
  }),
  namespaceLabels: flag('<selector>', z.optional(labels), 'only routes in namespaces with these labels', {
    variable: 'NAMESPACE_LABELS',
  }),
  projectLabels: flag('<selector>', z.optional(projects), 'the same for projects, which are namespaces', {
    variable: 'PROJECT_LABELS',
  }),
  namespace: flag('<name>', z.optional(labelName), 'only routes in this namespace'),
};
