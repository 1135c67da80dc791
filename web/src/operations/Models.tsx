import { type FormEvent, useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { type components, request, useAnswer, useForget } from "@/api";
import { Answer, Badge, Button, Dialog, Empty, number, Table, Time, useToast } from "@/parts";
import styles from "./Operations.module.css";

type Model = components["schemas"]["ModelAnswer"];
type Usage = components["schemas"]["UsageAnswer"];
type Estimate = components["schemas"]["Estimate"];
type Kind = Model["kind"];

const NUMBERS: readonly string[] = ["dimension", "daily_tokens", "daily_calls", "price"];
const PROVIDERS: Record<Kind, readonly string[]> = { EMBEDDING: ["local", "openai"], SUMMARY: ["outline", "openai"] };

/** What a field means that nothing is written into. */
const EMPTY: Record<string, string | number> = {
  endpoint: "",
  model: "",
  dimension: 0,
  credential: "",
  daily_tokens: 0,
  daily_calls: 0,
  price: 0,
};

/** Models of the tenant: which are in force, how far they are, and what they cost by day. */
export function Models() {
  const words = useTranslations("operations.models");
  const locale = useLocale();
  const toast = useToast();
  const forget = useForget();
  const found = useAnswer("/api/v2/models");
  const [setting, setSetting] = useState<Kind | null>(null);
  const [removing, setRemoving] = useState<Model | null>(null);
  const [missing, setMissing] = useState<readonly Estimate[]>([]);
  const act = async (path: string, body?: unknown) => {
    try {
      const told = await request<{ estimates?: Estimate[]; ok?: boolean; message?: string; milliseconds?: number }>(
        "POST",
        `/api/v2/models/${path}`,
        { body },
      );
      if (told.estimates) setMissing(told.estimates.filter((one) => one.missing > 0));
      if (told.ok) await forget("/api/v2/tasks"); // it may have been paused
      if (told.ok !== undefined)
        toast(told.ok ? words("answers", { time: told.milliseconds ?? 0 }) : (told.message ?? words("fails")));
      await forget("/api/v2/models");
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div className="stack">
      {missing.map((one) => (
        <p key={one.kind} className={styles.warning}>
          {words(`kind.${one.kind}`)}
          {": "}
          {words("missing", { texts: one.missing, tokens: one.tokens })} <code>{"headwater pipeline enrich"}</code>
        </p>
      ))}
      <Answer of={found}>
        {({ models, usage }) => (
          <>
            {models.map(
              ({ kind, place, paused }) =>
                paused && (
                  <p key={`${kind} ${place}`} className={styles.warning}>
                    {words(`kind.${kind}`)}
                    {": "}
                    {words("paused")} {paused.until && <Time at={paused.until} />}
                    {" — "}
                    <bdi>{paused.message}</bdi>
                  </p>
                ),
            )}
            <Table<Model>
              label={words("label")}
              rows={models}
              keyOf={(row) => `${row.kind} ${row.place}`}
              empty={<Empty title={words("none")}>{words("noneText")}</Empty>}
              controls={
                <span className="push row">
                  {(["EMBEDDING", "SUMMARY"] as const).map((kind) => (
                    <Button key={kind} icon="plus" onClick={() => setSetting(kind)}>
                      {words(`set.${kind}`)}
                    </Button>
                  ))}
                </span>
              }
              columns={[
                { id: "kind", title: words("kindTitle"), value: (row) => words(`kind.${row.kind}`), width: 140 },
                {
                  id: "place",
                  title: words("place"),
                  value: (row) => row.place,
                  cell: (row) => (
                    <Badge tone={row.place === "active" ? "ok" : "plain"}>{words(`is.${row.place}`)}</Badge>
                  ),
                  width: 110,
                },
                {
                  id: "model",
                  title: words("model"),
                  value: (row) => row.fingerprint,
                  cell: (row) => <code>{row.fingerprint}</code>,
                },
                { id: "nodes", title: words("nodes"), value: (row) => row.nodes, width: 160 },
                {
                  id: "since",
                  title: words("since"),
                  value: (row) => row.since,
                  cell: (row) => <Time at={row.since} />,
                  width: 130,
                },
                {
                  id: "acts",
                  title: words("acts"),
                  value: () => null,
                  fixed: true,
                  width: 200,
                  cell: (row) => (
                    <span className="row">
                      <Button onClick={() => void act(`${row.kind.toLowerCase()}/test`)}>{words("test")}</Button>
                      <Button look="danger" onClick={() => setRemoving(row)}>
                        {words("remove")}
                      </Button>
                    </span>
                  ),
                },
              ]}
            />
            {usage.length > 0 && (
              <Table<Usage>
                label={words("usage")}
                rows={usage}
                keyOf={(row) => `${row.day} ${row.kind}`}
                empty={null}
                columns={[
                  { id: "day", title: words("day"), value: (row) => row.day, width: 130 },
                  { id: "kind", title: words("kindTitle"), value: (row) => words(`kind.${row.kind}`), width: 140 },
                  { id: "calls", title: words("calls"), value: (row) => row.calls },
                  { id: "failures", title: words("failures"), value: (row) => row.failures },
                  { id: "tokens", title: words("tokens"), value: (row) => row.tokens },
                  {
                    id: "price",
                    title: words("price"),
                    value: (row) => row.price,
                    cell: (row) => number(row.price, locale),
                  },
                ]}
              />
            )}
          </>
        )}
      </Answer>
      <Dialog title={words("remove")} open={removing !== null} onClose={() => setRemoving(null)}>
        {removing && (
          <div className="stack">
            <p>{words(removing.place === "next" ? "removeNextText" : "removeText")}</p>
            <div className="row">
              <Button
                look="danger"
                onClick={() => {
                  const only = removing.place === "next" ? "?place=next" : "";
                  setRemoving(null);
                  void act(`${removing.kind.toLowerCase()}/remove${only}`);
                }}
              >
                {words("remove")}
              </Button>
            </div>
          </div>
        )}
      </Dialog>
      <SetModel
        key={setting}
        before={found.data?.models.find((one) => one.kind === setting)?.configuration}
        kind={setting}
        onClose={() => setSetting(null)}
        onSet={(kind, body) => {
          setSetting(null);
          void act(kind.toLowerCase(), body);
        }}
      />
    </div>
  );
}

/** Provider, and of a server its address, model and the reference to its key. */
function SetModel({
  before,
  kind,
  onClose,
  onSet,
}: {
  before: Model["configuration"] | undefined;
  kind: Kind | null;
  onClose: () => void;
  onSet: (kind: Kind, body: object) => void;
}) {
  const words = useTranslations("operations.models");
  const [chosen, setChosen] = useState<string>(before?.provider ?? "");
  const [typed, setTyped] = useState<Record<string, string>>(() => typedOf(before));
  const [redact, setRedact] = useState(before?.redact ?? true);
  if (kind === null) return null;
  const providers = PROVIDERS[kind];
  const provider = providers.find((one) => one === chosen) ?? providers[0] ?? "";
  const dimension = kind === "EMBEDDING" ? ["dimension"] : [];
  const fields = ["endpoint", "model", ...dimension, "credential", "daily_tokens", "daily_calls", "price"];
  const send = (event: FormEvent) => {
    event.preventDefault();
    const given = Object.fromEntries(Object.entries(typed).filter(([, value]) => value.trim() !== ""));
    const numbers = NUMBERS.filter((name) => name in given);
    const body = { ...given, ...Object.fromEntries(numbers.map((name) => [name, Number(given[name])])) };
    const kept = before?.provider === "openai" ? before : {}; // what has no field here stays as it is
    const emptied = Object.fromEntries(fields.filter((name) => !(name in given)).map((name) => [name, EMPTY[name]]));
    onSet(kind, provider === "openai" ? { ...kept, ...emptied, provider, redact, ...body } : { provider });
  };
  return (
    <Dialog title={words(`set.${kind}`)} open onClose={onClose}>
      <form className="stack" onSubmit={send}>
        <label className={styles.field}>
          {words("provider")}
          <select value={provider} onChange={(event) => setChosen(event.target.value)}>
            {providers.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        {provider === "openai" &&
          fields.map((name) => (
            <label key={name} className={styles.field}>
              {words(`field.${name as "endpoint"}`)}
              <input
                value={typed[name] ?? ""}
                maxLength={1000}
                type={NUMBERS.includes(name) ? "number" : "text"}
                step={name === "price" ? "any" : undefined}
                onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
              />
            </label>
          ))}
        {provider === "openai" && kind === "SUMMARY" && (
          <label className="row">
            <input type="checkbox" checked={redact} onChange={(event) => setRedact(event.target.checked)} />
            {words("redact")}
          </label>
        )}
        <div className="row">
          <Button type="submit" look="main">
            {words("save")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The fields as they were set; what is none stays empty. */
function typedOf(before: Model["configuration"] | undefined): Record<string, string> {
  if (before?.provider !== "openai") return {};
  return Object.fromEntries(
    Object.entries(before)
      .filter(([name, value]) => name in EMPTY && value !== "" && value !== 0)
      .map(([name, value]) => [name, String(value)]),
  );
}
