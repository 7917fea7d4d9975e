import { createHash } from 'node:crypto';

/** A namespace and a name together may be longer than a file's name may be. */
const LONGEST = 200;

const fileName = (key: string): string => {
  const [namespace = '', ...rest] = key.split(':');
  const name = `${namespace}_${rest.join('_')}`;
  const isPlain = /^\w[\w.-]*$/.test(name) && name.length <= LONGEST && rest.length === 1;
  return isPlain ? name : `_${createHash('sha256').update(key).digest('hex')}`;
};

/** No `_` is in the name of a namespace or a route: one file for each route. */
export const certificateFileName = (key: string): string => `certs/${fileName(key)}.pem`;
export const caFileName = (key: string): string => `cacerts/${fileName(key)}.pem`;
export const allowlistFileName = (key: string): string => `allowlists/${fileName(key)}.txt`;

export const DEFAULT_CERTIFICATE_FILE = 'certs/_default.pem';
export const SERVER_STATES_FILE = 'servers.state';
export const DEFAULT_CERTIFICATE_LIST_FILE = 'default_cert_config.map';
export const CERTIFICATE_LIST_FILE = 'cert_config.map';

/** Names of the administrator's files. No route's file has one: a namespace's name does not begin with `_`. */
export const CLIENT_CA_FILE = 'cacerts/_clients.pem';
export const CLIENT_CRL_FILE = 'crls/_clients.pem';
export const DESTINATION_CA_FILE = 'cacerts/_destination.pem';
export const UNAVAILABLE_FILE = 'errors/503.http';
export const NOT_FOUND_FILE = 'errors/404.http';
