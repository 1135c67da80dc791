import { fileURLToPath, URL } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `headwater up` listens while the page is worked on. */
const server = process.env["HEADWATER_URL"] ?? "http://127.0.0.1:8580";

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2022",
    outDir: "../src/headwater/web",
    emptyOutDir: true,
    sourcemap: false,
    assetsInlineLimit: 0, // the Content-Security-Policy allows no data: URL but for pictures
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
  worker: { format: "es" },
  server: {
    host: "127.0.0.1",
    port: Number(process.env["WEB_PORT"] ?? 5173),
    proxy: Object.fromEntries(["/api", "/openapi.json", "/docs", "/health"].map((path) => [path, server])),
  },
});
