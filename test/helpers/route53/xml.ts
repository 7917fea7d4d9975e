import type { FakeRecord, FakeZone } from './fake-route53.ts';

const declaration = '<?xml version="1.0"?>\n';
const namespace = 'xmlns="https://route53.amazonaws.com/doc/2013-04-01/"';

/** An element with its content: texts are escaped, elements are not. */
type Content = string | number | boolean | readonly Element[];
type Element = readonly [name: string, content: Content];

function print([name, content]: Element): string {
  const inner = Array.isArray(content) ? content.map(print).join('') : escaped(`${content}`);
  return `<${name}>${inner}</${name}>`;
}

function document(root: string, content: readonly Element[]): string {
  return `${declaration}<${root} ${namespace}>${content.map(print).join('')}</${root}>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function zonesXml(
  zones: readonly FakeZone[],
  page: { readonly marker: string | null; readonly next: string | undefined; readonly maxItems: number },
): string {
  const { marker, next, maxItems } = page;
  return document('ListHostedZonesResponse', [
    ['HostedZones', zones.map((zone) => ['HostedZone', zoneElements(zone)])],
    ...(marker === null ? [] : [['Marker', marker] as const]),
    ['IsTruncated', next !== undefined],
    ...(next === undefined ? [] : [['NextMarker', next] as const]),
    ['MaxItems', maxItems],
  ]);
}

function zoneElements({ id, name, isPrivate = false, records }: FakeZone): readonly Element[] {
  return [
    ['Id', `/hostedzone/${id}`],
    ['Name', name],
    ['CallerReference', `reference-of-${id}`],
    ['Config', [['PrivateZone', isPrivate]]],
    ['ResourceRecordSetCount', records.length],
  ];
}

export function recordsXml(
  records: readonly FakeRecord[],
  next: FakeRecord | undefined,
  maxItems: number,
): string {
  return document('ListResourceRecordSetsResponse', [
    ['ResourceRecordSets', records.map((record) => ['ResourceRecordSet', recordElements(record)])],
    ['IsTruncated', next !== undefined],
    ...(next === undefined
      ? []
      : ([
          ['NextRecordName', next.name],
          ['NextRecordType', next.type],
        ] as const)),
    ['MaxItems', maxItems],
  ]);
}

function recordElements({ name, type, ttl, values, alias, setIdentifier }: FakeRecord): readonly Element[] {
  const target: readonly Element[] = [
    ['HostedZoneId', 'Z2FDTNDATAQYW2'],
    ['DNSName', alias ?? ''],
    ['EvaluateTargetHealth', false],
  ];
  return [
    ['Name', name],
    ['Type', type],
    ...(setIdentifier === undefined
      ? []
      : ([
          ['SetIdentifier', setIdentifier],
          ['Weight', 1],
        ] as const)),
    ...(ttl === undefined ? [] : [['TTL', ttl] as const]),
    ...(values === undefined
      ? []
      : [
          [
            'ResourceRecords',
            values.map((value) => ['ResourceRecord', [['Value', value]]] as const),
          ] as const,
        ]),
    ...(alias === undefined ? [] : [['AliasTarget', target] as const]),
  ];
}

export function changeXml(id: string): string {
  const info: readonly Element[] = [
    ['Id', `/change/${id}`],
    ['Status', 'PENDING'],
    ['SubmittedAt', '2026-01-01T00:00:00.000Z'],
  ];
  return document('ChangeResourceRecordSetsResponse', [['ChangeInfo', info]]);
}

export function errorXml(code: string, message: string): string {
  return document('ErrorResponse', [
    [
      'Error',
      [
        ['Type', 'Sender'],
        ['Code', code],
        ['Message', message],
      ],
    ],
    ['RequestId', '00000000-0000-4000-8000-000000000001'],
  ]);
}

/** A refused change has its own format. */
export function refusedChangeXml(message: string): string {
  return document('InvalidChangeBatch', [
    ['Messages', [['Message', message]]],
    ['RequestId', '00000000-0000-4000-8000-000000000001'],
  ]);
}

/** The contents of all elements with this name, in order. */
export function contentsOf(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, content = '']) => content);
}
