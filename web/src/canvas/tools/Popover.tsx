import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button, type ButtonProps } from "@/parts";
import styles from "./tools.module.css";

/** A button that opens a small form beside it; Esc and a click elsewhere close it. */
export function Popover({
  label,
  button,
  text,
  children,
}: {
  label: string;
  button?: Omit<ButtonProps, "onClick" | "children">;
  text?: ReactNode;
  children: ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const root = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!open) return;
    root.current?.querySelector<HTMLElement>("[role=dialog] input, [role=dialog] button")?.focus();
    const outside = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- Esc closes it from anywhere inside
    <span
      className={styles.popover}
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.stopPropagation();
        setOpen(false);
        root.current?.querySelector("button")?.focus();
      }}
    >
      <Button
        {...button}
        label={label}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen((before) => !before)}
      >
        {text}
      </Button>
      {open && (
        <div id={id} role="dialog" aria-label={label} className={styles.popped}>
          {children}
        </div>
      )}
    </span>
  );
}
