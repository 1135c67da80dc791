import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import styles from "./Tabs.module.css";

export interface Tab<T extends string> {
  id: T;
  title: string;
  count?: number | null;
}

/** Tabs with the content of the chosen one below; arrow keys move between them. */
export function Tabs<T extends string>({
  tabs,
  chosen,
  onChoose,
  label,
  children,
}: {
  tabs: readonly Tab<T>[];
  chosen: T;
  onChoose: (id: T) => void;
  label: string;
  children: ReactNode;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const steps: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const place = (next + tabs.length) % tabs.length;
    const tab = tabs[place];
    if (!tab) return;
    onChoose(tab.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[place]?.focus();
  };
  return (
    <>
      <div role="tablist" aria-label={label} className={styles.tabs} ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={tab.id === chosen}
            aria-controls={`${id}-content`}
            tabIndex={tab.id === chosen ? 0 : -1}
            className={styles.tab}
            onClick={() => onChoose(tab.id)}
          >
            {tab.title}
            {tab.count ? <span className={styles.count}>{tab.count}</span> : null}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-content`} aria-labelledby={`${id}-${chosen}`} className={styles.content}>
        {children}
      </div>
    </>
  );
}
