import { readAgreementFile } from '../../vip/agreement/agreement-file.ts';
import { readDialectRecord } from '../../vip/agreement/dialect-record.ts';
import { plannedChange, type VrrpDialect } from '../../vip/agreement/vrrp-agreement.ts';
import type { KeepalivedMonitorSettings } from '../../vip/keepalived-monitor-settings.ts';

/** The dialect of a monitor with these settings: that of its flags, or the agreed one. */
export async function dialectNow(
  { profile, mode, config, monitorConf }: KeepalivedMonitorSettings,
  at: (path: string) => string,
): Promise<{ readonly dialect: VrrpDialect; readonly later: string | undefined }> {
  const flags: VrrpDialect = { profile, mode };
  const recorded = readDialectRecord(at(`${config}.agreed`), flags);
  const current = recorded ?? flags;
  const file = await readAgreementFile(monitorConf.map(at));
  const change =
    file.kind === 'agreement' ? plannedChange(current, file.agreement, recorded === undefined) : undefined;
  if (change === undefined) return { dialect: current, later: undefined };
  if (change.atMs <= Date.now()) return { dialect: change.dialect, later: undefined };
  const when = new Date(change.atMs).toISOString();
  const what = `${change.dialect.profile}, ${change.dialect.mode}`;
  return { dialect: current, later: `a change to ${what} is agreed for ${when}` };
}
