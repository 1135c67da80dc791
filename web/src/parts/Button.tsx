import type { ButtonHTMLAttributes } from "react";
import styles from "./Button.module.css";
import { Icon, type IconName } from "./Icon";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: "plain" | "main" | "bare" | "danger";
  icon?: IconName;
  /** Only the icon is drawn; this is what it does. */
  label?: string;
  pressed?: boolean;
}

export function Button({ look = "plain", icon, label, pressed, className, children, ...rest }: ButtonProps) {
  const names = [styles.button, styles[look], label && !children ? styles.square : "", className].filter(Boolean);
  return (
    <button type="button" className={names.join(" ")} aria-label={label} title={label} aria-pressed={pressed} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
