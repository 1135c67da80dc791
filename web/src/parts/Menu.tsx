import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button, type ButtonProps } from "./Button";
import { Icon } from "./Icon";
import styles from "./Menu.module.css";

export interface MenuItem {
  id: string;
  title: ReactNode;
  chosen?: boolean;
  disabled?: boolean;
  onChoose: () => void;
}

/** A button that opens a list of things to do or choose; arrow keys, Enter and Esc work in it. */
export function Menu({
  items,
  button,
  label,
  align = "end",
  children,
}: {
  items: readonly MenuItem[];
  button?: Omit<ButtonProps, "onClick" | "children">;
  label: string;
  /** Which side of the list stands under the same side of the button. */
  align?: "start" | "end";
  children?: ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const root = useRef<HTMLSpanElement>(null);
  const choices = () => [...(root.current?.querySelectorAll<HTMLElement>("[role^=menuitem]:not(:disabled)") ?? [])];
  useEffect(() => {
    if (!open) return;
    const inside = [...(root.current?.querySelectorAll<HTMLElement>("[role^=menuitem]:not(:disabled)") ?? [])];
    (inside.find((one) => one.getAttribute("aria-checked") === "true") ?? inside[0])?.focus();
    const outside = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);
  const close = () => {
    setOpen(false);
    root.current?.querySelector<HTMLElement>("button")?.focus();
  };
  const move = (event: KeyboardEvent) => {
    const all = choices();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 };
    const next = steps[event.key];
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    } else if (event.key === "Tab") setOpen(false);
    else if (next !== undefined) {
      event.preventDefault();
      all[(next + all.length) % all.length]?.focus();
    }
  };
  return (
    <span className={styles.root} ref={root}>
      <Button
        {...button}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        label={label}
        onClick={() => setOpen((before) => !before)}
      >
        {children}
      </Button>
      {open && (
        <div id={id} role="menu" aria-label={label} className={`${styles.menu} ${styles[align]}`} onKeyDown={move}>
          {items.map((item) => (
            <button
              key={item.id}
              type="button"
              role={item.chosen === undefined ? "menuitem" : "menuitemradio"}
              aria-checked={item.chosen}
              disabled={item.disabled}
              tabIndex={-1}
              className={styles.item}
              onClick={() => {
                close();
                item.onChoose();
              }}
            >
              <span className={styles.mark}>{item.chosen && <Icon name="check" size={14} />}</span>
              {item.title}
            </button>
          ))}
        </div>
      )}
    </span>
  );
}
