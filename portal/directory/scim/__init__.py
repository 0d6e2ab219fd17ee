"""SCIM 2.0 (RFC 7643, RFC 7644), as Entra and Okta speak it; `scim2_models` has its grammar and its PATCH."""
