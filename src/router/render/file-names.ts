import { createHash } from 'node:crypto';

/** A namespace and a name together may exceed the maximum length of a file name. */
const MAX_NAME_LENGTH = 200;

const fileName = (key: string): string => {
  const [namespace = '', ...rest] = key.split(':');
  const name = `${namespace}_${rest.join('_')}`;
  const isPlain = /^\w[\w.-]*$/.test(name) && name.length <= MAX_NAME_LENGTH && rest.length === 1;
  return isPlain ? name : `_${createHash('sha256').update(key).digest('hex')}`;
};

/** Unique for each route, since names of namespaces and routes cannot contain `_`. */
export const certificateFileName = (key: string): string => `certs/${fileName(key)}.pem`;
export const caFileName = (key: string): string => `cacerts/${fileName(key)}.pem`;
export const allowlistFileName = (key: string): string => `allowlists/${fileName(key)}.txt`;

export const DEFAULT_CERTIFICATE_FILE = 'certs/_default.pem';
export const SERVER_STATES_FILE = 'servers.state';
export const DEFAULT_CERTIFICATE_LIST_FILE = 'default_cert_config.map';
export const CERTIFICATE_LIST_FILE = 'cert_config.map';

/** The administrator's files. No route's file has the same name, since a namespace's name cannot start with `_`. */
export const CLIENT_CA_FILE = 'cacerts/_clients.pem';
export const CLIENT_CRL_FILE = 'crls/_clients.pem';
export const DESTINATION_CA_FILE = 'cacerts/_destination.pem';
export const UNAVAILABLE_FILE = 'errors/503.http';
export const NOT_FOUND_FILE = 'errors/404.http';
