import { Converter } from 'typedoc'

/**
 * Types that the library exports nowhere, since nobody has to write them: those of options, subjects and results. The
 * site shows their members in place of their names.
 */
const INLINED = `
  BoundResult BucketOptions CallAnswer CallOptions CallSpan CallTracing CatalogueRule CatalogueSubject CheckCatalogueOptions CheckedPackage
  CheckedTenant Claim ColumnDefinition ColumnMeaning ColumnStatistics ContractOptions CorsOptions CsvOptions DescribeParams DescribedColumn
  DescribedMeasure DescribedRelation DirectoryExports DownloadOptions EmptyTenant EndlessSource EngineOptions ErrorData ExportForm
  ExportLink ExportOptions ExportSubject ExportedFile FailedTenant GuardSettings Hierarchy Jwk KeptSnapshot KeySubject
  KeyUsage KnownValue ListParams ManyChecked MeasureDefinition McpOptions NamedExportParams NamedQueryParams NewProject NodeHandler Operand NodeRequest
  Ownership PageParams PageRange Phase Place PostgresSourceOptions Progress ProjectSubject PublishOptions PublishedSnapshot QueryParameter
  Quota QuotaHolder QuotaLevel QuotaLimits QuotaSubject QuotaWindow ReadRelation RelationColumn RelationDefinition RelationStatistics RetryOptions
  RevocableToken RowLimit RowRange RowsBefore RowsOptions RunningProcess S3Exports S3Snapshots S3SnapshotsOptions SandboxMode
  SandboxState SealedTenant SeenByLimit SeenRows SnapshotSubject SocketOptions SourceOptions SourceRequest SourceRows
  SourceSession SourceSubject StoredFile StrayRows Supply TableColumnDefinition TableFolder TableRowLimits TableStatistics
  TableSources TenantOutcome TokenCaller TokenClaims TokenKeysOptions TokenOptions ToldFailure ToldStatistics TypedValue
  UnpublishedManifest UsageSubject ValueRange Wall WarnedData WebSocketTransport WithColumns
`

/** A plugin of typedoc. */
export function load(app) {
  app.converter.on(Converter.EVENT_BEGIN, ({ inlineType }) => {
    for (const name of INLINED.trim().split(/\s+/)) inlineType.add(name)
  })
}
