import ArgumentParser

/// `signet help levels`: what the levels of signatures are, and how to try them.
struct LevelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "levels", abstract: "Explain the levels of signatures.",
        shouldDisplay: false)

    static func isMeant(by arguments: [String]) -> Bool { arguments == ["help", "levels"] }

    func run() throws {
        try Reporter(options: .defaults()).result(Self.text)
    }

    private static let text = """
        The levels of signatures (ETSI EN 319 142-1 and 319 122-1), each with all of
        the one before:

          B    Who signed. Needs a key and its certificate.
          T    When, at the latest: a time stamp. Needs --tsa URL.
          LT   That the certificates were good: their chains, and what their
               authorities say of revocations. Needs certificates that name where to
               ask, or --crl FILE, --ocsp FILE; and --trust FILE, or a root that the
               system has.
          LTA  For as long as it is renewed: a time stamp over all of that. The newest
               one ends with its authority's certificate: signet extend --renew,
               before then.

          signet sign contract.pdf --key me.p12 --tsa URL --level LTA
          signet extend contract.signed.pdf --tsa URL --level LTA    # a day later, say
          signet verify contract.signed.pdf --explain-level --require-level LT

        To try them with an authority of your own:

          signet key generate --no-passphrase -o ca.pem
          signet cert create --key ca.pem --subject "CN=Our CA" --ca -o ca.crt
          for who in tsa me; do
              signet csr create --new-key ec:P-256 --key-out $who.pem --no-passphrase \\
                  --subject "CN=$who" -o $who.csr
          done
          signet cert create --csr tsa.csr --issuer-cert ca.crt --issuer-key ca.pem \\
              --profile tsa -o tsa.crt
          signet cert create --csr me.csr --issuer-cert ca.crt --issuer-key ca.pem \\
              -o me.crt
          printf '[ca]\\ndefault_ca=d\\n[d]\\ndatabase=ca.db\\ndefault_md=sha256\\n' \\
              > ca.cnf
          touch ca.db
          openssl ca -gencrl -crldays 30 -config ca.cnf -keyfile ca.pem \\
              -cert ca.crt -out ca.crl
          signet tsp serve --key tsa.pem --cert tsa.crt --listen 127.0.0.1:3161 &
          signet sign contract.pdf --key me.pem --cert me.crt --level LTA \\
              --tsa http://127.0.0.1:3161 --trust ca.crt --crl ca.crl
        """
}
