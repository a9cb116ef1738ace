import { startCaddy } from './caddy.js'
import { startHaproxy } from './haproxy.js'
import { startNginx } from './nginx.js'
import type { StartProxy } from './proxy.js'

/** Every proxy that deploy/ has a configuration for. */
export const PROXIES: Record<string, StartProxy> = { Caddy: startCaddy, nginx: startNginx, HAProxy: startHaproxy }
