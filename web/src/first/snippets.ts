/** How each producer is told where to send its events; names of settings are the producers' own. */

export const PRODUCERS = ["curl", "spark", "airflow", "dbt", "flink"] as const;
export type Producer = (typeof PRODUCERS)[number];

export interface Address {
  /** Where this page comes from: the address of the server. */
  url: string;
  /** A key that may send, where one is needed. */
  key: string | null;
}

/** A first event: a run of a job that reads one table and writes another, ended now. */
export function firstEvent(now: Date, run: string): object {
  const schema = (...names: string[]) => ({
    schema: {
      _producer: "https://example.com",
      _schemaURL: "https://openlineage.io/spec/facets/1-2-0/SchemaDatasetFacet.json",
      fields: names.map((name) => ({ name })),
    },
  });
  return {
    eventType: "COMPLETE",
    eventTime: now.toISOString(),
    producer: "https://example.com",
    schemaURL: "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    run: { runId: run },
    job: { namespace: "first", name: "copy_orders" },
    inputs: [{ namespace: "first", name: "raw.orders", facets: schema("id", "amount") }],
    outputs: [{ namespace: "first", name: "clean.orders", facets: schema("id", "amount") }],
  };
}

/** A random run id; the browser's own function for it is not there on pages without HTTPS. */
export function newRunId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

export function snippet(producer: Producer, { url, key }: Address, now: Date, run: string): string {
  switch (producer) {
    case "curl":
      return lines(
        `curl -i ${url}/api/v1/lineage \\`,
        key && `  -H 'Authorization: Bearer ${key}' \\`,
        "  -H 'Content-Type: application/json' \\",
        `  -d '${JSON.stringify(firstEvent(now, run))}'`,
      );
    case "spark":
      return lines(
        "spark-submit \\",
        "  --packages io.openlineage:openlineage-spark_2.13:1.53.0 \\",
        "  --conf spark.extraListeners=io.openlineage.spark.agent.OpenLineageSparkListener \\",
        "  --conf spark.openlineage.namespace=my_team \\",
        "  --conf spark.openlineage.transport.type=http \\",
        `  --conf spark.openlineage.transport.url=${url} \\`,
        key && "  --conf spark.openlineage.transport.auth.type=api_key \\",
        key && `  --conf spark.openlineage.transport.auth.apiKey=${key} \\`,
        "  job.py",
      );
    case "airflow":
      return lines(
        "pip install apache-airflow-providers-openlineage",
        `export AIRFLOW__OPENLINEAGE__TRANSPORT='${JSON.stringify({
          type: "http",
          url,
          ...(key ? { auth: { type: "api_key", apiKey: key } } : {}),
        })}'`,
        "export AIRFLOW__OPENLINEAGE__NAMESPACE=http://airflow.example.com:8080",
      );
    case "dbt":
      return lines(
        "pip install openlineage-dbt",
        `export OPENLINEAGE_URL=${url}`,
        key && `export OPENLINEAGE_API_KEY=${key}`,
        "export OPENLINEAGE_NAMESPACE=my_project",
        "dbt-ol run",
      );
    case "flink":
      return lines(
        "execution.job-status-changed-listeners: io.openlineage.flink.listener.OpenLineageJobStatusChangedListenerFactory",
        "openlineage.transport.type: http",
        `openlineage.transport.url: ${url}`,
        key && "openlineage.transport.auth.type: api_key",
        key && `openlineage.transport.auth.apiKey: ${key}`,
        "openlineage.job.namespace: http://flink.example.com:8081",
      );
  }
}

function lines(...all: readonly (string | null)[]): string {
  return all.filter((line) => line !== null).join("\n");
}
