import ArgumentParser
import SignetKit

/// Connection to a signing service (`--key csc:https://…`), and time limits of external keys.
/// Secrets are never on the command line.
struct ServiceArguments: ParsableArguments {
    @Option(
        "One-time passwords for a signing service: a line for each that is asked for.",
        value: "file")
    var otpFile: String?
    @Option("The one-time password: the value of this environment variable.", value: "name")
    var otpEnv: String?
    @Option("The name to log in with at the signing service.", value: "name")
    var serviceUser: String?
    @Option("Its password: the file's first line.", value: "file")
    var servicePasswordFile: String?
    @Option("Its password: the value of this environment variable.", value: "name")
    var servicePasswordEnv: String?
    @Option("OAuth 2.0 client to log in as, instead.", value: "id")
    var serviceClientID: String?
    @Option("Its secret: the file's first line.", value: "file")
    var serviceClientSecretFile: String?
    @Option("Its secret: the value of this environment variable.", value: "name")
    var serviceClientSecretEnv: String?
    @Option("An access token, instead of logging in: the file's first line.", value: "file")
    var serviceTokenFile: String?
    @Option("An access token: the value of this environment variable.", value: "name")
    var serviceTokenEnv: String?
    @Option("Trust anchors for https to the service (default: the system's).", value: "file")
    var serviceTrust: String?
    @Flag(help: "Send secrets to the service over plain http too.")
    var serviceAllowInsecureAuth = false
    @Option(
        """
        Time limit of each question to a service or program that has the key (default: 20; 60 \
        for programs, 120 where the signer is asked).
        """, value: "seconds")
    var keyTimeout: String?

    func validate() throws {
        _ = try Value.seconds(keyTimeout, "--key-timeout")
        try Value.refuseBoth("--otp", otpFile, otpEnv)
        try Value.refuseBoth("--service-password", servicePasswordFile, servicePasswordEnv)
        try Value.refuseBoth(
            "--service-client-secret", serviceClientSecretFile, serviceClientSecretEnv)
        try Value.refuseBoth("--service-token", serviceTokenFile, serviceTokenEnv)
        let logins = [serviceUser, serviceClientID, serviceTokenFile ?? serviceTokenEnv]
        if logins.compactMap({ $0 }).count > 1 {
            throw ValidationError(
                "Give one of --service-user, --service-client-id and a service token.")
        }
        if serviceUser == nil && (servicePasswordFile ?? servicePasswordEnv) != nil {
            throw ValidationError("A password needs a name: --service-user NAME.")
        }
        if serviceClientID == nil && (serviceClientSecretFile ?? serviceClientSecretEnv) != nil {
            throw ValidationError("A client's secret needs the client: --service-client-id ID.")
        }
    }

    /// Files with secrets, of which at most one may be standard input.
    var secretFiles: [String?] {
        [otpFile, servicePasswordFile, serviceClientSecretFile, serviceTokenFile]
    }

    func options() throws -> ServiceOptions {
        var options = ServiceOptions()
        if otpFile != nil || otpEnv != nil {
            options.otp = source(otpFile, otpEnv, "--otp-file FILE or --otp-env NAME")
        }
        options.user = serviceUser
        options.password = source(
            servicePasswordFile, servicePasswordEnv,
            "--service-password-file FILE or --service-password-env NAME")
        options.clientID = serviceClientID
        options.clientSecret = source(
            serviceClientSecretFile, serviceClientSecretEnv,
            "--service-client-secret-file FILE or --service-client-secret-env NAME")
        if serviceTokenFile != nil || serviceTokenEnv != nil {
            options.token = source(
                serviceTokenFile, serviceTokenEnv,
                "--service-token-file FILE or --service-token-env NAME")
        }
        options.trust = serviceTrust
        options.allowsUnencrypted = serviceAllowInsecureAuth
        options.timeLimit = try Value.seconds(keyTimeout, "--key-timeout")
        return options
    }

    /// The terminal without a file or variable.
    private func source(
        _ file: String?, _ environment: String?, _ options: String
    ) -> PassphraseSource {
        PassphraseOptions.source(
            file: file, environment: environment, confirming: false, for: "the signing service",
            options: options)
    }
}
