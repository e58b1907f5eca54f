// The session of the signed-in user. The access token is in memory. The refresh secret is in a cookie that scripts cannot read. All tabs of the browser
// share the session: each continues it by the cookie, and they exchange new access tokens.
import { endSession, Failure, get, postSwitch, postToken, type Login } from '../wire/rest';
import { IdleWatch, type IdleState } from './idle';
import { alone, mark, openChannel, type TabMessage } from './tabs';
import { t } from '../words';

/** Storage key by which browser tabs share the time of the last activity. */
const PRESENT = 'switchyard.present';
/** Shortest interval between two reports of activity to other tabs, ms. */
const TELL_EVERY_MS = 10_000;
const RENEW_BEFORE_MS = 60_000;

type Listener = () => void;

class Session {
  private login: Login | null = null;
  private listeners = new Set<Listener>();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private parted = false;
  /** Whether the user has been active since the last request that reports activity to the server. */
  private wasThere = false;
  private away = new Set<(state: IdleState) => void>();
  private renewed = new Set<Listener>();
  private resuming: Promise<boolean> | null = null;
  private publish = openChannel((message) => this.hear(message));
  /** Counts ended sessions, so that a late answer of an ended session is rejected. */
  private given = 0;

  current = (): Login | null => this.login;
  token = (): string | null => this.login?.token ?? null;

  subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Registers a listener for a renewed token, so that open sockets can send it. */
  onRenewed(listener: Listener): () => void {
    this.renewed.add(listener);
    return () => this.renewed.delete(listener);
  }

  /** Signs in. `otp` is the second factor if the user has one: six digits, or a recovery code. */
  async signIn(username: string, password: string, otp = ''): Promise<Login> {
    return alone(async () => this.start(await postToken({ username, password, feui: '1', ...(otp && { otp }) })));
  }

  /**
   * Continues the session of the browser. Returns false if there is none or the server rejects it. Simultaneous calls share one request, and
   * tabs that renew at the same time share one answer.
   */
  resume(): Promise<boolean> {
    this.resuming ??= this.renew().finally(() => (this.resuming = null));
    return this.resuming;
  }

  private async renew(): Promise<boolean> {
    const held = this.login;
    return alone(async () => {
      // Another tab has renewed while this one waited.
      if (this.login !== null && this.login !== held) return true;
      const state = mark.read();
      if (state === null) {
        // Another tab has signed out, or the server has ended the session.
        if (held) this.drop();
        return false;
      }
      const { given } = this;
      try {
        const login = await postToken({ feui: '1' });
        if (state === 'leaving' || given !== this.given) {
          // The user signed out: during the request, or before it without a connection. The session is ended.
          await this.leave(login);
          return false;
        }
        this.start(login);
        this.bearWitness();
        for (const listener of this.renewed) listener();
        return true;
      } catch (error) {
        // Another tab has signed in during the request.
        if (this.login !== null && this.login !== held) return true;
        // Only a rejection by the server ends the session. After other errors the renewal is repeated.
        if (error instanceof Failure && error.status === 403) this.forget();
        else if (state === 'open') this.plan(10_000);
        return false;
      }
    });
  }

  /** Takes over what another tab reports. */
  private hear(message: TabMessage): void {
    if (message.kind === 'signed-out') {
      this.parted = true;
      this.drop();
      return;
    }
    const { login } = message;
    const own = this.login;
    if (own && (own.id !== login.id || own.clientId !== login.clientId)) {
      // Another user, or another utility: nothing on this page belongs to it.
      window.location.assign('/dashboard');
      return;
    }
    this.take(login);
    for (const listener of this.renewed) listener();
  }

  /** Whether the user ended the session by signing out, or by the idle limit. */
  hasParted = (): boolean => this.parted;

  /** Signs out, in all tabs. The page does not wait for the server, so that nobody stays signed in at a workplace whose connection is lost. */
  signOut(): void {
    const login = this.login;
    this.parted = true;
    this.drop();
    mark.write(null);
    this.publish({ kind: 'signed-out' });
    if (login) void this.leave(login);
  }

  /** Ends a session on the server. Without a connection, the next page that opens ends it. */
  private async leave(login: Login): Promise<void> {
    const isEnded = await endSession(login).then(
      () => true,
      (error: unknown) => error instanceof Failure && error.status === 401,
    );
    // The user may have signed in again.
    if (mark.read() !== 'open') mark.write(isEnded ? null : 'leaving');
  }

  /** Forgets the session of the browser after the server has rejected it. */
  forget(): void {
    mark.write(null);
    this.drop();
  }

  private drop(): void {
    this.given += 1;
    if (this.timer) clearTimeout(this.timer);
    this.login = null;
    this.tell();
  }

  /** Reports activity to the server with a cheap request. Renewing does not count as activity, and a user who only watches sends no other requests. */
  private bearWitness(): void {
    if (!this.login || !this.wasThere) return;
    this.wasThere = false;
    void get(this.login.token, `role/rolepages/${this.login.roleId}`).catch(() => undefined);
  }

  /** Changes to another utility (role 1). This starts a new session there and ends the current one. */
  async switchClient(client: number): Promise<void> {
    const { login } = this;
    if (!login) return;
    await alone(async () => this.start(await postSwitch(login.token, client)));
  }

  /** Registers a listener for changes of the idle state. */
  onIdle(listener: (state: IdleState) => void): () => void {
    this.away.add(listener);
    return () => this.away.delete(listener);
  }

  /** Signs out after three hours without activity in any tab (specification 1, section 4). */
  watchIdle(): () => void {
    const watch = new IdleWatch((state) => {
      for (const listener of this.away) listener(state);
      if (state === 'away') this.signOut();
    });
    let told = 0;
    const sign = () => {
      watch.sign();
      this.wasThere = true;
      if (Date.now() - told < TELL_EVERY_MS) return;
      told = Date.now();
      localStorage.setItem(PRESENT, String(told));
    };
    const heard = (event: StorageEvent) => {
      if (event.key !== PRESENT) return;
      watch.sign(Number(event.newValue) || 0);
    };
    const signs = ['mousemove', 'click', 'scroll', 'keydown', 'touchstart'];
    for (const kind of signs) window.addEventListener(kind, sign, { passive: true });
    window.addEventListener('storage', heard);
    return () => {
      for (const kind of signs) window.removeEventListener(kind, sign);
      window.removeEventListener('storage', heard);
      watch.stop();
    };
  }

  /** Takes a session from the server, and reports it to the other tabs. */
  private start(login: Login): Login {
    mark.write('open');
    this.publish({ kind: 'login', login });
    return this.take(login);
  }

  private take(login: Login): Login {
    this.login = login;
    this.parted = false;
    this.plan(Math.max(5_000, Date.parse(login.aliveTill) - Date.now() - RENEW_BEFORE_MS));
    this.tell();
    return login;
  }

  private plan(ms: number): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.resume(), ms);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

export const session = new Session();

/** The specification's message for the first missing credential, or null. */
export function missingCredential(username: string, password: string): string | null {
  if (username.trim() === '') return t('session.pleaseEnterUsername');
  if (password === '') return t('session.pleaseEnterPassword');
  return null;
}

/** The path to open after signing in. Only a path on this site is accepted. Default: the dashboard. */
export function safeRedirect(target: string | null): string {
  return target && /^\/(?![/\\])/.test(target) ? target : '/dashboard';
}
