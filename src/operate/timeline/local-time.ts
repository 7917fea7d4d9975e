/** How people read a time: on their own clock, or on everybody's. */
interface LocalTime {
  /** `2026-11-21, UTC+01:00`. */
  readonly day: string;
  /** `03:12:04.120`. */
  readonly time: string;
}

/** In the time zone of this process, with summer time as it was then; `isUtc` leaves both out. */
export function localTime(at: string, isUtc: boolean): LocalTime {
  const date = new Date(at);
  const offset = isUtc ? 0 : -date.getTimezoneOffset();
  const [day = '', time = ''] = new Date(date.getTime() + offset * 60_000).toISOString().split('T');
  return { day: `${day}, UTC${isUtc ? '' : zoneText(offset)}`, time: time.slice(0, 12) };
}

function zoneText(minutes: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const ahead = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(ahead / 60)}:${two(ahead % 60)}`;
}
