import type { StoredObject } from '../../helpers/api-server/object-store.ts';
import { podAddresses, routeObject, sliceObject } from './objects.ts';

/** The Route with this number, as stored in the API. */
export function storedRoute(index: number, spec: object = {}): StoredObject {
  const object = routeObject(index);
  return { ...object, apiVersion: 'route.openshift.io/v1', spec: { ...object.spec, ...spec } };
}

/** Its endpoints: by default all pods. */
export function storedSlice(index: number, addresses: readonly string[] = podAddresses): StoredObject {
  return { ...sliceObject(index, addresses), apiVersion: 'discovery.k8s.io/v1' };
}

/** This many Routes with their endpoints. */
export function storedObjects(routes: number): readonly StoredObject[] {
  return Array.from({ length: routes }, (_, index) => [storedRoute(index), storedSlice(index)]).flat();
}
