import type { HostFiles } from '../../../engine/examine/host-files.ts';
import { parseConfiguration } from '../../../keepalived/parse-configuration.ts';

interface VipsReading {
  readonly api: readonly string[];
  readonly ingress: readonly string[];
}

interface GivenVips {
  readonly apiVips: readonly string[];
  readonly ingressVips: readonly string[];
  readonly keepalivedConfig: string;
}

/** The VIPs that were given, else those of keepalived.conf, so that a node that runs hawser needs no flags. */
export async function lookForVips(settings: GivenVips, files: HostFiles): Promise<VipsReading> {
  const { apiVips, ingressVips } = settings;
  if (apiVips.length + ingressVips.length > 0) return { api: apiVips, ingress: ingressVips };
  const { instances } = parseConfiguration((await files.value(settings.keepalivedConfig)) ?? '');
  const of = (isIngress: boolean): readonly string[] =>
    instances
      .filter(({ name }) => /ingress/i.test(name) === isIngress)
      .flatMap(({ vips }) => vips.map(({ address }) => address));
  return { api: of(false), ingress: of(true) };
}
