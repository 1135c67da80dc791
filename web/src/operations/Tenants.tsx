import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { type components, request, useAnswer, useForget } from "@/api";
import { useSession } from "@/frame/session";
import { Answer, Badge, Button, Dialog, Figure, Table, useToast } from "@/parts";
import styles from "./Operations.module.css";

type Tenant = components["schemas"]["TenantAnswer"];

/** Tenants with their limits; who is for one tenant alone sees that one. */
export function Tenants() {
  const words = useTranslations("operations.tenants");
  const toast = useToast();
  const forget = useForget();
  const { session } = useSession();
  const found = useAnswer("/api/v2/tenants");
  const [limiting, setLimiting] = useState<Tenant | null>(null);
  const [isCreating, setCreating] = useState(false);
  const isOperator = session?.mode === "single_user" || session?.tenant === null;
  const act = async (path: string, body?: unknown) => {
    try {
      await request("POST", path, { body });
      await forget("/api/v2/");
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <Answer of={found}>
        {({ tenants }) => (
          <Table<Tenant>
            label={words("label")}
            rows={tenants}
            keyOf={(row) => row.code}
            controls={
              isOperator && (
                <span className="push">
                  <Button icon="plus" onClick={() => setCreating(true)}>
                    {words("create")}
                  </Button>
                </span>
              )
            }
            columns={[
              { id: "code", title: words("code"), value: (row) => row.code },
              { id: "name", title: words("name"), value: (row) => row.name },
              {
                id: "state",
                title: words("state"),
                value: (row) => row.state,
                cell: (row) => <Badge tone={row.state === "ACTIVE" ? "ok" : "stale"}>{words(`is.${row.state}`)}</Badge>,
                width: 120,
              },
              {
                id: "rate",
                title: words("rate"),
                value: (row) => row.rate,
                cell: (row) => (row.rate ? <Figure value={row.rate} /> : <span className="mute">{words("none")}</span>),
                number: true,
                width: 150,
              },
              {
                id: "burst",
                title: words("burst"),
                value: (row) => row.burst,
                cell: (row) => <Figure value={row.burst} />,
                number: true,
                width: 100,
              },
              {
                id: "acts",
                title: words("acts"),
                value: () => null,
                fixed: true,
                width: 220,
                cell: (row) =>
                  isOperator && (
                    <span className="row">
                      <Button onClick={() => setLimiting(row)}>{words("limit")}</Button>
                      <Button
                        onClick={() =>
                          void act(`/api/v2/tenants/${row.code}/${row.state === "ACTIVE" ? "disable" : "enable"}`)
                        }
                      >
                        {words(row.state === "ACTIVE" ? "disable" : "enable")}
                      </Button>
                    </span>
                  ),
              },
            ]}
          />
        )}
      </Answer>
      <Form
        key={`limit ${limiting?.code}`}
        title={words("limitTitle", { name: limiting?.name ?? "" })}
        open={limiting !== null}
        onClose={() => setLimiting(null)}
        fields={[
          { id: "rate", title: words("rate"), value: limiting?.rate ?? null, isNumber: true },
          { id: "burst", title: words("burst"), value: limiting?.burst ?? null, isNumber: true },
        ]}
        onSend={(values) => {
          const [rate, burst] = [Number(values["rate"]) || null, Number(values["burst"]) || null];
          void act(`/api/v2/tenants/${limiting?.code}/limit`, { rate, burst: rate ? burst : null });
          setLimiting(null);
        }}
      />
      <Form
        title={words("create")}
        open={isCreating}
        onClose={() => setCreating(false)}
        fields={[
          { id: "code", title: words("code"), value: null },
          { id: "name", title: words("name"), value: null },
        ]}
        onSend={({ code, name }) => {
          void act("/api/v2/tenants", { code, ...(name ? { name } : {}) });
          setCreating(false);
        }}
      />
    </>
  );
}

interface FormField {
  id: string;
  title: string;
  value: number | null;
  isNumber?: boolean;
}

/** A few fields in a dialog. */
function Form({
  title,
  open,
  onClose,
  fields,
  onSend,
}: {
  title: string;
  open: boolean;
  onClose: () => void;
  fields: readonly FormField[];
  onSend: (values: Record<string, string>) => void;
}) {
  const words = useTranslations("operations.tenants");
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onSend(Object.fromEntries(fields.map(({ id }) => [id, String(form.get(id) ?? "").trim()])));
  };
  return (
    <Dialog title={title} open={open} onClose={onClose}>
      <form className="stack" onSubmit={send}>
        {fields.map((field) => (
          <label key={field.id} className={styles.field}>
            {field.title}
            <input
              name={field.id}
              defaultValue={field.value ?? ""}
              {...(field.isNumber ? { type: "number", min: 0 } : { maxLength: 128 })}
            />
          </label>
        ))}
        <div className="row">
          <Button type="submit" look="main">
            {words("save")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
