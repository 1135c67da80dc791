import js from "@eslint/js";
import a11y from "eslint-plugin-jsx-a11y";
import react from "eslint-plugin-react";
import hooks from "eslint-plugin-react-hooks";
import { defineConfig, globalIgnores } from "eslint/config";
import ts from "typescript-eslint";

export default defineConfig(
  globalIgnores(["dist", "node_modules", "screenshots", "src/api/schema.d.ts"]),
  js.configs.recommended,
  ts.configs.strict,
  a11y.flatConfigs.recommended,
  hooks.configs.flat["recommended-latest"],
  {
    plugins: { react },
    settings: { react: { version: "19" } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "react/jsx-no-literals": ["error", { noStrings: false, ignoreProps: true }],
      "react/jsx-key": "error",
      "react/no-danger": "error",
      "react/no-unstable-nested-components": ["error", { allowAsProps: true }], // cells of tables are called, not mounted
      "no-console": "error",
      eqeqeq: "error",
      "no-undef": "off",
      "@typescript-eslint/consistent-type-imports": "error",
      "react-hooks/refs": "off",
      "react-hooks/set-state-in-effect": "off",
      "react-hooks/incompatible-library": "off",
      "jsx-a11y/interactive-supports-focus": "off", // lists whose entries have the focus
      "jsx-a11y/click-events-have-key-events": "off", // keys are handled by what has the focus; the browser tests use them
      "jsx-a11y/no-noninteractive-element-interactions": ["error", { handlers: ["onMouseDown"] }],
      "@typescript-eslint/no-dynamic-delete": "off",
      "jsx-a11y/no-noninteractive-tabindex": "off", // what scrolls must be reachable by keyboard
    },
  },
  { files: ["scripts/**"], rules: { "no-console": "off" } },
  { files: ["tests/browser/**"], rules: { "react-hooks/rules-of-hooks": "off" } }, // fixtures are given to a function called `use`
  { files: ["**/*.test.tsx"], rules: { "react/jsx-no-literals": "off" } },
);
