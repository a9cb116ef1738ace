import { Converter } from 'typedoc'

/**
 * Types that the library exports nowhere, since nobody has to write them: those of options, subjects and results. The
 * site shows their members in place of their names.
 */
const INLINED = `
  BoundResult BucketOptions CallAnswer CallOptions CatalogueRule CatalogueSubject CheckCatalogueOptions CheckedPackage
  CheckedTenant ColumnDefinition ColumnMeaning ContractOptions CorsOptions CsvOptions DescribeParams DescribedColumn
  DescribedRelation DirectoryExports DownloadOptions EmptyTenant EndlessSource EngineOptions ErrorData ExportForm
  ExportLink ExportOptions ExportSubject ExportedFile FailedTenant GuardSettings Hierarchy Jwk KeptSnapshot KeySubject
  KeyUsage ListParams ManyChecked McpOptions NamedExportParams NamedQueryParams NewProject NodeHandler NodeRequest
  Ownership PageParams PageRange Phase PostgresSourceOptions Progress ProjectSubject PublishOptions QueryParameter
  Quota QuotaHolder QuotaLevel QuotaLimits QuotaSubject QuotaWindow ReadRelation RelationDefinition RetryOptions
  RevocableToken RowLimit RowRange RowsBefore RowsOptions S3Exports S3Snapshots S3SnapshotsOptions SandboxMode
  SandboxState SealedTenant SeenByLimit SeenRows SnapshotSubject SocketOptions SourceOptions SourceRequest SourceRows
  SourceSession SourceSubject StoredFile StrayRows Supply TableColumnDefinition TableFolder TableRowLimits
  TableSources TenantOutcome TokenCaller TokenClaims TokenKeysOptions TokenOptions ToldFailure TypedValue
  UnpublishedManifest UsageSubject ValueRange Wall WarnedData WebSocketTransport WithColumns
`

/** A plugin of typedoc. */
export function load(app) {
  app.converter.on(Converter.EVENT_BEGIN, ({ inlineType }) => {
    for (const name of INLINED.trim().split(/\s+/)) inlineType.add(name)
  })
}
