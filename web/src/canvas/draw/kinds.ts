/** A colour for each kind of storage; kinds that nobody listed get one of the same row by their name. Pure. */
const KNOWN: Record<string, string> = {
  postgres: "#336791",
  mysql: "#00758f",
  mariadb: "#a06a4b",
  oracle: "#c74634",
  sqlserver: "#a91d22",
  snowflake: "#29b5e8",
  redshift: "#7b5bd6",
  bigquery: "#4285f4",
  duckdb: "#c9a800",
  clickhouse: "#d9a400",
  s3: "#e2762d",
  gcs: "#3f8fd0",
  azure: "#0f7fd4",
  hdfs: "#8a9a3c",
  file: "#8a8378",
  hive: "#c99a12",
  kafka: "#6c5b7b",
  trino: "#d5479c",
  iceberg: "#3aa0c9",
  delta: "#1f9e95",
  glue: "#8c4fff",
};
const OTHERS = ["#7a8aa0", "#9a6fb0", "#5d9a7b", "#b0785a", "#6f86c9", "#a3964b"];

export function storageColour(storage: string | null): string {
  if (!storage) return "#8a96a0";
  const known = KNOWN[storage];
  if (known) return known;
  let sum = 0;
  for (const letter of storage) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return OTHERS[sum % OTHERS.length] ?? "#8a96a0";
}
