/** The used parts of the SDK. Unlike its own declarations these do not type answers: a schema must parse them. */
declare module '@aws-sdk/client-route-53' {
  export interface Command {
    readonly input: object;
  }

  type CommandOf<Input> = new (input: Input) => Command;

  export const Route53Client: new (settings: {
    readonly region: string;
    readonly maxAttempts: number;
    readonly requestHandler: {
      readonly connectionTimeout: number;
      readonly requestTimeout: number;
      readonly throwOnRequestTimeout: boolean;
    };
  }) => {
    readonly send: (command: Command, options: { readonly abortSignal: AbortSignal }) => Promise<unknown>;
  };

  export const ListHostedZonesCommand: CommandOf<{ readonly Marker?: string }>;

  export const ListResourceRecordSetsCommand: CommandOf<{
    readonly HostedZoneId: string;
    readonly StartRecordName: string;
    readonly StartRecordType: 'A';
    readonly MaxItems: number;
  }>;

  export const ChangeResourceRecordSetsCommand: CommandOf<{
    readonly HostedZoneId: string;
    readonly ChangeBatch: {
      readonly Comment: string;
      readonly Changes: readonly {
        readonly Action: 'UPSERT';
        readonly ResourceRecordSet: {
          readonly Name: string;
          readonly Type: 'A';
          readonly TTL: number;
          readonly ResourceRecords: readonly { readonly Value: string }[];
        };
      }[];
    };
  }>;
}
