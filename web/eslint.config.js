// The linter's rules: the recommended rules as errors, type-checked rules, and the rules of hooks.
import js from '@eslint/js';
import hooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'src/wire/schema.ts'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  { plugins: { 'react-hooks': hooks }, rules: { 'react-hooks/rules-of-hooks': 'error', 'react-hooks/exhaustive-deps': 'error' } },
  {
    files: ['e2e/**/*.mjs', 'bench/**/*.mjs'],
    languageOptions: { globals: { Buffer: 'readonly', performance: 'readonly', process: 'readonly', console: 'readonly', window: 'readonly', PointerEvent: 'readonly', document: 'readonly', setTimeout: 'readonly', setInterval: 'readonly', clearInterval: 'readonly', fetch: 'readonly', URL: 'readonly', URLSearchParams: 'readonly', requestAnimationFrame: 'readonly' } },
  },
);
