import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./look/tokens.css";
import "./look/base.css";
import { makeQueryClient } from "./api";
import { setTenant } from "./api/tenant";
import { startReports } from "./frame/reports";
import { makeRouter } from "./frame/router";
import { Toasts } from "./parts";
import type { Search } from "./view";
import { Words } from "./words/Words";

startReports();
const client = makeQueryClient();
const router = makeRouter();

const tenantOf = (search: unknown) => {
  const { tenant } = search as Search;
  return (Array.isArray(tenant) ? tenant[0] : tenant) ?? null;
};
setTenant(tenantOf(router.latestLocation.search));
router.subscribe("onBeforeNavigate", ({ toLocation }) => setTenant(tenantOf(toLocation.search)));

const place = document.getElementById("page");
if (place) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <Words>
          <Toasts>
            <RouterProvider router={router} />
          </Toasts>
        </Words>
      </QueryClientProvider>
    </StrictMode>,
  );
}
