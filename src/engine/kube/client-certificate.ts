import { X509Certificate } from 'node:crypto';
import { messageOf } from '../system/errors.ts';
import { readRegularFile } from '../system/file/read-regular-file.ts';
import { MAX_CREDENTIAL_BYTES } from './credential-files.ts';
import type { LoadedKubeconfig } from './kubeconfig.ts';

export type CertificateReading =
  | { readonly kind: 'certificate'; readonly subject: string; readonly from: Date; readonly to: Date }
  /** The user has a token instead. */
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly message: string };

/** The client certificate that requests use: the first one of the embedded data, or else of the file, which may contain a chain. */
export async function readClientCertificate(loaded: LoadedKubeconfig): Promise<CertificateReading> {
  const user = loaded.config.getCurrentUser();
  const { certData, certFile } = user ?? {};
  if (!certData && !certFile) return { kind: 'none' };
  try {
    const pem = certData
      ? Buffer.from(certData, 'base64')
      : (await readRegularFile(certFile ?? '', { MAX_CREDENTIAL_BYTES })).bytes;
    const { subject, validFromDate, validToDate } = new X509Certificate(pem);
    return {
      kind: 'certificate',
      subject: subject.replaceAll('\n', ', '),
      from: validFromDate,
      to: validToDate,
    };
  } catch (error) {
    return { kind: 'unreadable', message: messageOf(error) };
  }
}
