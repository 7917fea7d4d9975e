import { parseConfiguration } from '../../../keepalived/parse-configuration.ts';
import type { DoctorSettings } from '../context.ts';
import type { HostFiles } from '../host-files.ts';

export interface VipsReading {
  readonly api: readonly string[];
  readonly ingress: readonly string[];
}

/** The VIPs that were given, else those of keepalived.conf, so that a node that runs hawser needs no flags. */
export async function lookForVips(settings: DoctorSettings, files: HostFiles): Promise<VipsReading> {
  const { apiVips, ingressVips } = settings;
  if (apiVips.length + ingressVips.length > 0) return { api: apiVips, ingress: ingressVips };
  const { instances } = parseConfiguration((await files.value(settings.keepalivedConfig)) ?? '');
  const of = (isIngress: boolean): readonly string[] =>
    instances
      .filter(({ name }) => /ingress/i.test(name) === isIngress)
      .flatMap(({ vips }) => vips.map(({ address }) => address));
  return { api: of(false), ingress: of(true) };
}
