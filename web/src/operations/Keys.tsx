import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { type components, request, useAnswer, useForget } from "@/api";
import { useSession } from "@/frame/session";
import { Answer, Badge, Button, copyText, Dialog, Empty, Table, Time, useToast } from "@/parts";
import styles from "./Operations.module.css";

type Key = components["schemas"]["KeyAnswer"];

const ROLES = ["writer", "reader", "editor", "monitor", "admin"] as const;
const GRACE = 3600;

/** Keys: who may send and ask. The secret of a new one is shown once. */
export function Keys() {
  const words = useTranslations("operations.keys");
  const toast = useToast();
  const forget = useForget();
  const found = useAnswer("/api/v2/keys");
  const [isCreating, setCreating] = useState(false);
  const [ending, setEnding] = useState<Key | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const act = async (path: string, body?: unknown) => {
    try {
      const made = await request<{ key?: string }>("POST", path, { body });
      if (made.key) setSecret(made.key);
      await forget("/api/v2/keys");
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <Answer of={found}>
        {({ keys }) => (
          <Table<Key>
            label={words("label")}
            rows={keys}
            keyOf={(row) => row.id}
            empty={<Empty title={words("none")}>{words("noneText")}</Empty>}
            controls={
              <span className="push">
                <Button icon="plus" onClick={() => setCreating(true)}>
                  {words("create")}
                </Button>
              </span>
            }
            columns={[
              { id: "name", title: words("name"), value: (row) => row.name || row.id },
              { id: "tenant", title: words("tenant"), value: (row) => row.tenant ?? words("every"), width: 120 },
              {
                id: "roles",
                title: words("roles"),
                value: (row) => row.roles.join(", "),
                cell: (row) => row.roles.map((role) => <Badge key={role}>{role}</Badge>),
                width: 160,
              },
              {
                id: "state",
                title: words("state"),
                value: (row) => row.state,
                cell: (row) => <Badge tone={row.state === "ACTIVE" ? "ok" : "plain"}>{words(`is.${row.state}`)}</Badge>,
                width: 110,
              },
              {
                id: "used",
                title: words("used"),
                value: (row) => row.last_used_at,
                cell: (row) => <Time at={row.last_used_at} />,
                width: 130,
              },
              {
                id: "expires",
                title: words("expires"),
                value: (row) => row.expires_at,
                cell: (row) => <Time at={row.expires_at} />,
                width: 130,
              },
              {
                id: "acts",
                title: words("acts"),
                value: () => null,
                fixed: true,
                width: 200,
                cell: (row) =>
                  row.state === "ACTIVE" && (
                    <span className="row">
                      <Button onClick={() => void act(`/api/v2/keys/${row.id}/rotate`, { grace: GRACE })}>
                        {words("rotate")}
                      </Button>
                      <Button look="danger" onClick={() => setEnding(row)}>
                        {words("revoke")}
                      </Button>
                    </span>
                  ),
              },
            ]}
          />
        )}
      </Answer>
      <NewKey
        open={isCreating}
        onClose={() => setCreating(false)}
        onMake={(body) => {
          setCreating(false);
          void act("/api/v2/keys", body);
        }}
      />
      <Dialog
        title={words("revokeTitle")}
        open={ending !== null}
        onClose={() => setEnding(null)}
        actions={
          <>
            <Button onClick={() => setEnding(null)}>{words("keep")}</Button>
            <Button
              look="danger"
              onClick={() => {
                if (ending) void act(`/api/v2/keys/${ending.id}/revoke`);
                setEnding(null);
              }}
            >
              {words("revoke")}
            </Button>
          </>
        }
      >
        <p>{words("revokeText", { name: ending?.name || ending?.id || "" })}</p>
      </Dialog>
      <Dialog title={words("secretTitle")} open={secret !== null} onClose={() => setSecret(null)}>
        <p>{words("secretText")}</p>
        <div className="row">
          <code className={styles.secret}>{secret}</code>
          <Button
            icon="copy"
            onClick={() => void copyText(secret ?? "").then((done) => done && toast(words("copied")))}
          >
            {words("copy")}
          </Button>
        </div>
      </Dialog>
    </>
  );
}

/** Name, tenant, roles and end of a new key. */
function NewKey({ open, onClose, onMake }: { open: boolean; onClose: () => void; onMake: (body: object) => void }) {
  const words = useTranslations("operations.keys");
  const { session } = useSession();
  const [name, setName] = useState("");
  const [roles, setRoles] = useState<readonly string[]>(["writer"]);
  const [tenant, setTenant] = useState("");
  const [days, setDays] = useState("");
  const send = (event: FormEvent) => {
    event.preventDefault();
    const expires = Number(days);
    onMake({
      name: name.trim(),
      roles,
      ...(tenant ? { tenant } : {}),
      ...(expires > 0 ? { expires_in: Math.round(expires * 86_400) } : {}),
    });
    setName("");
  };
  return (
    <Dialog title={words("create")} open={open} onClose={onClose}>
      <form className="stack" onSubmit={send}>
        {session?.mode === "single_user" && <p className={styles.warning}>{words("first")}</p>}
        <label className={styles.field}>
          {words("name")}
          <input value={name} maxLength={128} onChange={(event) => setName(event.target.value)} />
        </label>
        {!session?.tenant || session.tenants.length > 1 ? (
          <label className={styles.field}>
            {words("tenant")}
            <select value={tenant} onChange={(event) => setTenant(event.target.value)}>
              <option value="">{words("every")}</option>
              {session?.tenants.map(({ code, name: title }) => (
                <option key={code} value={code}>
                  {title}
                </option>
              ))}
            </select>
          </label>
        ) : null}
        <fieldset className={styles.roles}>
          <legend>{words("roles")}</legend>
          {ROLES.map((role) => (
            <label key={role} className="row">
              <input
                type="checkbox"
                checked={roles.includes(role)}
                onChange={(event) =>
                  setRoles(event.target.checked ? [...roles, role] : roles.filter((one) => one !== role))
                }
              />
              <code>{role}</code> <span className="mute">{words(`role.${role}`)}</span>
            </label>
          ))}
        </fieldset>
        <label className={styles.field}>
          {words("days")}
          <input type="number" min={1} max={3650} value={days} onChange={(event) => setDays(event.target.value)} />
        </label>
        <div className="row">
          <Button type="submit" look="main" disabled={roles.length === 0}>
            {words("create")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
