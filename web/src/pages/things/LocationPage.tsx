import { Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import { Page } from "@/frame/Page";
import { Badge, cutMiddle, Figure, Tabs } from "@/parts";
import { useView } from "@/view";
import { EditHistory } from "../edits/EditHistory";
import { ENTITY_VIEW, EntityPage } from "../shared/EntityPage";
import { Facts, Part } from "../shared/Facts";
import { Inside } from "./Inside";
import type { LocationEntity } from "../shared/records";
import shared from "../shared/shared.module.css";
import { Fresh, ThingHead } from "../shared/ThingHead";

const TABS = ["overview", "edits"] as const;

/** A place where datasets or jobs are: the namespaces that are one, why, and what is there. */
export default function LocationPage() {
  return (
    <EntityPage<LocationEntity> list="locations" kind="location">
      {(location) => <Known location={location} />}
    </EntityPage>
  );
}

function Known({ location }: { location: LocationEntity }) {
  const words = useTranslations("pages.things");
  const [{ tab }, setView] = useView(ENTITY_VIEW);
  const chosen = TABS.find((one) => one === tab) ?? "overview";
  const { id, owners, description, namespaces } = location;
  return (
    <Page
      title={location.name ?? id}
      fill
      head={
        <ThingHead
          kind="location"
          of={{ id, owners, description, namespaces, hidden: null }}
          badges={location.type && <Badge>{location.type}</Badge>}
        >
          <Link to="/datasets" search={{ location: namespaces[0] } as never}>
            <Figure value={location.datasets} /> {words("datasets")}
          </Link>
          <Link to="/jobs" search={{ location: namespaces[0] } as never}>
            <Figure value={location.jobs} /> {words("jobs")}
          </Link>
          <Fresh word={words("since")} at={location.first_seen} />
        </ThingHead>
      }
    >
      <Tabs
        label={words("tabs")}
        tabs={TABS.map((one) => ({ id: one, title: words(`tab.${one}`) }))}
        chosen={chosen}
        onChoose={(next) => setView({ tab: next === "overview" ? null : next }, { push: true })}
      >
        <div className={shared.inside}>
          {chosen === "edits" ? (
            <EditHistory of={id} />
          ) : (
            <>
              {description && <p className="prose">{cutMiddle(description, 1000)}</p>}
              <div className={shared.columns}>
                <Part title={words("namespaces")} about={words("namespacesAbout")}>
                  <div className={`${shared.box} ${shared.scroll}`}>
                    <ul className={shared.lines}>
                      {namespaces.map((namespace) => (
                        <li key={namespace}>
                          <bdi className="mono">{cutMiddle(namespace, 120)}</bdi>
                        </li>
                      ))}
                    </ul>
                  </div>
                </Part>
                <Part title={words("why")}>
                  <div className={`${shared.box} ${shared.scroll}`}>
                    <Facts
                      of={[
                        [words("addresses"), location.addresses.length > 0 && <Listed texts={location.addresses} />],
                        [
                          words("merged"),
                          location.merged.length > 0 && (
                            <Listed texts={location.merged.map((pair) => pair.join(" = "))} />
                          ),
                        ],
                        [
                          words("split"),
                          location.split.length > 0 && (
                            <Listed texts={location.split.map((pair) => pair.join(" ≠ "))} />
                          ),
                        ],
                        [words("externalId"), location.external_id],
                      ]}
                    />
                    {location.addresses.length + location.merged.length + location.split.length === 0 && (
                      <span className="mute">{words("oneNamespace")}</span>
                    )}
                  </div>
                </Part>
              </div>
              <Inside namespace={namespaces[0] ?? ""} />
            </>
          )}
        </div>
      </Tabs>
    </Page>
  );
}

function Listed({ texts }: { texts: readonly string[] }) {
  return (
    <ul className={shared.lines}>
      {texts.map((text) => (
        <li key={text}>
          <bdi className="mono">{cutMiddle(text, 120)}</bdi>
        </li>
      ))}
    </ul>
  );
}
