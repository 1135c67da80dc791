const PATHS = {
  home: "M2.5 7.500 8 3l5.500 4.500V13h-4V9.500h-3V13h-4z",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zm3.600-1.400L14 14",
  dataset: "M2.500 3.500h11v9h-11zM2.500 6.500h11M6.500 6.500v6",
  job: "M5 3l7.500 5L5 13z",
  run: "M13 8a5 5 0 1 1-1.500-3.600M13 2.500V5h-2.500",
  change: "M8 3l5.500 10h-11z",
  impact: "M9 1.500 3.500 9H8l-1 5.500L12.500 7H8z",
  shield: "M8 1.500l5.500 2v4.500c0 3.500-2.500 5.500-5.500 6.500-3-1-5.500-3-5.500-6.500V3.500z",
  operations: "M2 12.500h12M4 10V6.500M8 10V3.500M12 10V8",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.500V8l2.500 1.500",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13.500 9.500A6 6 0 0 1 6.500 2.500a6 6 0 1 0 7 7z",
  language:
    "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2 8h12M8 2c2 2 2.500 4 2.500 6S10 12 8 14C6 12 5.500 10 5.500 8S6 4 8 2z",
  tenant: "M3 14V3.500h6V14M9 7h4v7M5 6h2M5 8.500h2M5 11h2M1.500 14h13",
  copy: "M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3",
  check: "M3 8.500 6.500 12 13 4.500",
  close: "M4 4l8 8M12 4l-8 8",
  down: "M4 6l4 4 4-4",
  right: "M6 4l4 4-4 4",
  left: "M10 4L6 8l4 4",
  up: "M4 10l4-4 4 4",
  more: "M3.500 8h.01M8 8h.01M12.500 8h.01",
  download: "M8 2.500v8M4.500 7.500 8 11l3.500-3.500M3 13.500h10",
  link: "M6.500 9.500l3-3M7 4.500 8.500 3a3 3 0 0 1 4.500 4.500L11.500 9M9 11.500 7.500 13A3 3 0 0 1 3 8.500L4.500 7",
  pen: "M3 13l.500-3L11 2.500 13.500 5 6 12.500z",
  warning: "M8 2.500 14.500 13.500h-13zM8 6.500v3M8 11.500h.01",
  offline:
    "M2 2l12 12M4.500 7A6 6 0 0 1 6 6.200M1.500 5.500A9 9 0 0 1 4 3.800M8 3c2.500 0 4.800 1 6.500 2.500M9.800 6.200A6 6 0 0 1 11.500 7M8 12h.01",
  lock: "M3.500 7.500h9v6h-9zM5.500 7.500V5a2.500 2.500 0 0 1 5 0v2.500",
  out: "M6.500 2.500h-4v11h4M7 8h7M11 5l3 3-3 3",
  filter: "M2 3.500h12L9.500 8.500V13l-3-1.500v-3z",
  columns: "M2.500 3h11v10h-11zM6 3v10M10 3v10",
  app: "M2.500 2.500h4.500v4.500H2.500zM9 2.500h4.500v4.500H9zM2.500 9h4.500v4.500H2.500zM9 9h4.500v4.500H9z",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  fit: "M2.500 6v-3.500H6M10 2.500h3.500V6M13.500 10v3.500H10M6 13.500H2.500V10",
  user: "M8 8a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM3 13.500a5 5 0 0 1 10 0",
  place:
    "M8 14.500s4.500-4.500 4.500-8a4.500 4.500 0 0 0-9 0c0 3.500 4.500 8 4.500 8zM8 8a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3z",
  tag: "M2.500 7.500v-5h5l6 6-5 5zM5 5h.01",
  code: "M5.500 4.500 2 8l3.500 3.500M10.500 4.500 14 8l-3.500 3.500",
  full: "M9.500 2.500h4v4M6.500 13.500h-4v-4M13.500 2.500l-5 5M2.500 13.500l5-5",
  tidy: "M2.500 3h4v3h-4zM9.500 10h4v3h-4zM9.500 3h4v3h-4zM6.500 4.500h3M8 4.500v7h1.500",
  map: "M2 3.500l4-1.500 4 1.500 4-1.500v10.500l-4 1.500-4-1.500-4 1.500zM6 2v10.500M10 3.500V14",
  keys: "M1.500 4h13v8.500h-13zM4 6.500h.01M7 6.500h.01M10 6.500h.01M12.500 6.500h.01M4.500 10h7",
  group: "M2 2.500h12v11H2zM4.500 5h3v2.500h-3zM8.500 8.500h3V11h-3z",
  chart: "M2.500 13.500h11M4.500 11V8M8 11V4M11.500 11V6.500",
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing of 16 px; without `title` it is decoration beside a text that says the same. */
export function Icon({ name, title, size = 16 }: { name: IconName; title?: string; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      role={title ? "img" : undefined}
      aria-hidden={title ? undefined : true}
      aria-label={title}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
