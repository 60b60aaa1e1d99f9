package import Base
internal import COpenSSL

package enum TrustAnchors: Sendable {
    case certificates([Certificate])
    /// A directory of certificates named by subject hash, as `openssl rehash` creates it: only the
    /// issuer that is needed is read.
    case hashedDirectory(String)
    /// A PEM file; only the certificates that a chain needs are parsed.
    case file(String)
    case combined([TrustAnchors])

    /// The anchors given as certificates, without directories and files.
    package var givenCertificates: [Certificate] {
        switch self {
        case .certificates(let certificates): certificates
        case .combined(let parts): parts.flatMap(\.givenCertificates)
        case .hashedDirectory, .file: []
        }
    }

    /// The anchors that may be a certificate of `sought` or its issuer; of given certificates, all.
    package func certificates(
        above sought: [Certificate]
    ) throws(CryptoError) -> [Certificate] {
        switch self {
        case .certificates(let certificates): return certificates
        case .combined(let parts):
            var found: [Certificate] = []
            for part in parts { found += try part.certificates(above: sought) }
            return found
        case .file(let path): return try AnchorFile.certificates(at: path, above: sought)
        case .hashedDirectory(let path):
            let store = try unsafe OpenSSL.require(X509_STORE_new(), "no certificate store")
            defer { unsafe X509_STORE_free(store) }
            let context = try unsafe OpenSSL.require(
                X509_STORE_CTX_new(), "no verification context")
            defer { unsafe X509_STORE_CTX_free(context) }
            try OpenSSL.require(
                unsafe COpenSSL_store_add_directory(store, path) == 1
                    && X509_STORE_CTX_init(context, store, nil, nil) == 1,
                "trust directory \(path)", .malformedCertificate)
            var found: [Certificate] = []
            var known: Set<[UInt8]> = []
            for certificate in sought {
                guard let pointer = unsafe try? certificate.x509() else { continue }
                for isIssuer in [true, false] {
                    let text = isIssuer ? certificate.canonicalIssuer : certificate.canonicalSubject
                    guard known.insert(text).inserted else { continue }
                    let name =
                        unsafe isIssuer
                        ? X509_get_issuer_name(pointer) : X509_get_subject_name(pointer)
                    let stack = unsafe X509_STORE_CTX_get1_certs(context, name)
                    defer { unsafe COpenSSL_sk_X509_pop_free(stack) }
                    found += try unsafe Certificate.copies(of: stack)
                }
            }
            ERR_clear_error()
            return found
        }
    }
}

/// Certificate policies required of a path (RFC 5280 §6.1.1 (c) to (g)).
package struct PathPolicies: Sendable, Hashable {
    /// Policy identifiers of which one must be valid for the whole path if a policy is required;
    /// empty accepts any.
    package var accepted: [OID] = []
    package var requiresExplicit = false
    package var inhibitsAny = false
    package var inhibitsMapping = false

    package init() {}

    /// Whether a path of this single certificate has an accepted policy (RFC 5280 §6.1.3 (d), (f)):
    /// OpenSSL does not check policies of a self-signed one.
    fileprivate func admit(_ certificate: Certificate) -> Bool {
        guard requiresExplicit else { return true }
        let own = Set(certificate.certificatePolicies)
        if own.contains(.anyPolicy), !inhibitsAny { return true }
        let wanted = Set(accepted)
        let isAnyWanted = wanted.isEmpty || wanted.contains(.anyPolicy)
        return isAnyWanted
            ? !own.subtracting([.anyPolicy]).isEmpty : !own.isDisjoint(with: wanted)
    }

    fileprivate var flags: UInt {
        UInt(X509_V_FLAG_POLICY_CHECK)
            | (requiresExplicit ? UInt(X509_V_FLAG_EXPLICIT_POLICY) : 0)
            | (inhibitsAny ? UInt(X509_V_FLAG_INHIBIT_ANY) : 0)
            | (inhibitsMapping ? UInt(X509_V_FLAG_INHIBIT_MAP) : 0)
    }

    /// Sets the identifiers; without any it sets anyPolicy, since OpenSSL rejects an empty set.
    fileprivate func apply(to parameters: OpaquePointer?) throws(CryptoError) {
        for identifier in accepted.isEmpty ? [.anyPolicy] : accepted {
            let object = try unsafe OpenSSL.require(
                OBJ_txt2obj(identifier.description, 1),
                "\"\(identifier)\" is not an object identifier",
                .invalidParameter)
            // The parameters now own the object.
            guard unsafe X509_VERIFY_PARAM_add0_policy(parameters, object) == 1 else {
                unsafe ASN1_OBJECT_free(object)
                throw CryptoError.draining(.internalFailure, "a policy was not added")
            }
        }
        unsafe X509_VERIFY_PARAM_set_flags(parameters, flags)
    }
}

package struct ChainRequest: Sendable {
    package var leaf: Certificate
    /// Untrusted candidates for intermediate CA certificates, from the message or the document.
    package var intermediates: [Certificate]
    package var anchors: TrustAnchors
    package var time: CalendarTime
    package var policies = PathPolicies()
    /// Whether keys and digests below the security level are accepted, to find the path anyway.
    package var acceptsWeakAlgorithms = false

    package init(
        leaf: Certificate, intermediates: [Certificate], anchors: TrustAnchors, time: CalendarTime
    ) {
        self.leaf = leaf
        self.intermediates = intermediates
        self.anchors = anchors
        self.time = time
    }

    /// Maximum number of candidates used; the nearest come first.
    package static let intermediateLimit = 256
    package static let depthLimit = 12
}

/// The reason why no path is valid.
package struct ChainFailure: Sendable, Equatable {
    /// Errors of X509_verify_cert, grouped by what they mean for a signature.
    package enum Code: String, Sendable {
        /// No issuer among trust anchors and candidates.
        case issuerUnknown
        /// The path ends in a self-signed certificate that is not a trust anchor.
        case selfSignedUntrusted
        case expired
        case notYetValid
        case badSignature
        case revoked
        /// basicConstraints, pathLength, keyCertSign, name constraints or policies are violated.
        case constraintViolated
        /// None of the required certificate policies is present.
        case policyMissing
        /// The key is too small or the digest too weak for the security level.
        case weakAlgorithm
        case unhandledCriticalExtension
        case malformed
        case other
    }

    package let code: Code
    /// 0 is the leaf.
    package let depth: Int
    /// The certificate at fault, when known.
    package let certificate: Certificate?
    /// OpenSSL's error text, or why the key is not supported.
    package let message: String
    /// X509_V_ERR number, for diagnosis.
    package let number: Int
    /// The attempted path, leaf first, as far as it was built.
    package let attempted: [Certificate]
}

package enum ChainResult: Sendable, Equatable {
    /// Leaf first, anchor last.
    case valid([Certificate])
    case invalid(ChainFailure)
}

extension ChainRequest {
    /// Builds and checks a path (RFC 5280 §6) at security level 2: at least 112 bits, no SHA-1. The
    /// caller checks the purpose of the leaf.
    package func validate() throws(CryptoError) -> ChainResult {
        OpenSSL.prepare()
        let store = try unsafe OpenSSL.require(X509_STORE_new(), "no certificate store")
        defer { unsafe X509_STORE_free(store) }
        var needsPartialChain = false
        try unsafe fill(store, from: anchors, &needsPartialChain)
        let context = try unsafe OpenSSL.require(X509_STORE_CTX_new(), "no verification context")
        defer { unsafe X509_STORE_CTX_free(context) }
        let untrusted = try unsafe OpenSSL.require(COpenSSL_sk_X509_new(), "no certificate list")
        defer { unsafe COpenSSL_sk_X509_pop_free(untrusted) }
        for hint in intermediates.prefix(ChainRequest.intermediateLimit) {
            // The stack owns a reference, which is added here.
            guard let pointer = unsafe try? hint.x509(), unsafe X509_up_ref(pointer) == 1 else {
                continue
            }
            if unsafe COpenSSL_sk_X509_push(untrusted, pointer) <= 0 { unsafe X509_free(pointer) }
        }
        try OpenSSL.require(
            unsafe X509_STORE_CTX_init(context, store, try leaf.x509(), untrusted) == 1,
            "verification did not start")
        let parameters = unsafe X509_STORE_CTX_get0_param(context)
        unsafe X509_VERIFY_PARAM_set_time(parameters, time_t(time.secondsSinceEpoch))
        unsafe X509_VERIFY_PARAM_set_auth_level(parameters, acceptsWeakAlgorithms ? 0 : 2)
        unsafe X509_VERIFY_PARAM_set_depth(parameters, Int32(ChainRequest.depthLimit))
        try unsafe policies.apply(to: parameters)
        var flags = UInt(X509_V_FLAG_TRUSTED_FIRST)
        if needsPartialChain { flags |= UInt(X509_V_FLAG_PARTIAL_CHAIN) }
        unsafe X509_VERIFY_PARAM_set_flags(parameters, flags)
        // OpenSSL excludes the last second of validity; RFC 5280 §4.1.2.5 includes it.
        unsafe X509_STORE_CTX_set_verify_cb(context) { isValid, context in
            guard isValid == 0,
                unsafe X509_STORE_CTX_get_error(context) == X509_V_ERR_CERT_HAS_EXPIRED,
                let certificate = unsafe X509_STORE_CTX_get_current_cert(context),
                unsafe ASN1_TIME_cmp_time_t(
                    X509_get0_notAfter(certificate),
                    X509_VERIFY_PARAM_get_time(X509_STORE_CTX_get0_param(context))) == 0
            else { return isValid }
            unsafe X509_STORE_CTX_set_error(context, X509_V_OK)
            return 1
        }
        let result = unsafe X509_verify_cert(context)
        // A negative result is an internal failure, unless it comes with a verification error.
        let number = unsafe X509_STORE_CTX_get_error(context)
        guard result >= 0 || number != X509_V_OK else {
            throw CryptoError.draining(.internalFailure, "verification broke off")
        }
        ERR_clear_error()
        if result == 1 {
            // The context still owns the chain (get0).
            var path = try unsafe Certificate.copies(of: X509_STORE_CTX_get0_chain(context))
            // OpenSSL adds issuers to a leaf that is itself a trust anchor.
            if unsafe X509_STORE_CTX_get_num_untrusted(context) == 0 { path = [path[0]] }
            guard path.count == 1, !policies.admit(path[0]) else { return .valid(path) }
            return .invalid(unsafe failure(X509_V_ERR_NO_EXPLICIT_POLICY, in: context))
        }
        return .invalid(unsafe failure(number, in: context))
    }

    private func failure(_ number: Int32, in context: OpaquePointer) -> ChainFailure {
        let current = unsafe X509_STORE_CTX_get_current_cert(context)
        let der = unsafe OpenSSL.encode { unsafe i2d_X509(current, $0) }
        var message = "verification failed"
        if let words = unsafe X509_verify_cert_error_string(Int(number)) {
            unsafe message = String(cString: words).lowercased()
        }
        let certificate = der.flatMap { try? Certificate(der: $0) }
        var code = ChainFailure.Code(number)
        if code == .weakAlgorithm || code == .badSignature {
            do {
                _ = try certificate?.publicKey
            } catch  where error.code == .unsupportedAlgorithm {
                (code, message) = (.other, error.description)
            } catch {}
        }
        return ChainFailure(
            code: code, depth: Int(unsafe X509_STORE_CTX_get_error_depth(context)),
            certificate: certificate, message: message,
            number: Int(number),
            attempted: (try? unsafe Certificate.copies(of: X509_STORE_CTX_get0_chain(context)))
                ?? [])
    }

    private func fill(
        _ store: OpaquePointer, from anchors: TrustAnchors, _ needsPartialChain: inout Bool
    ) throws(CryptoError) {
        switch anchors {
        case .certificates(let certificates):
            for certificate in certificates {
                // The store adds a reference.
                try OpenSSL.require(
                    unsafe X509_STORE_add_cert(store, try certificate.x509()) == 1,
                    "the trust anchor cannot be added")
                if !certificate.isSelfIssued { needsPartialChain = true }
            }
        case .hashedDirectory(let path):
            try OpenSSL.require(
                unsafe COpenSSL_store_add_directory(store, path) == 1, "trust directory \(path)",
                .malformedCertificate)
        case .file(let path):
            let found = try AnchorFile.certificates(at: path, above: [leaf] + intermediates)
            try unsafe fill(store, from: .certificates(found), &needsPartialChain)
        case .combined(let parts):
            for part in parts { try unsafe fill(store, from: part, &needsPartialChain) }
        }
    }
}

extension ChainFailure.Code {
    init(_ number: Int32) {
        switch number {
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED,
            X509_V_ERR_CERT_CHAIN_TOO_LONG:
            self = .issuerUnknown
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
            self = .selfSignedUntrusted
        case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired
        case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid
        case X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE,
            X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY:
            self = .badSignature
        case X509_V_ERR_CERT_REVOKED: self = .revoked
        case X509_V_ERR_INVALID_CA, X509_V_ERR_INVALID_NON_CA,
            X509_V_ERR_PATH_LENGTH_EXCEEDED, X509_V_ERR_PROXY_CERTIFICATES_NOT_ALLOWED,
            X509_V_ERR_KEYUSAGE_NO_CERTSIGN, X509_V_ERR_INVALID_PURPOSE,
            X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION,
            X509_V_ERR_SUBTREE_MINMAX, X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE,
            X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX, X509_V_ERR_UNSUPPORTED_NAME_SYNTAX,
            X509_V_ERR_INVALID_POLICY_EXTENSION,
            X509_V_ERR_CERT_REJECTED:
            self = .constraintViolated
        case X509_V_ERR_NO_EXPLICIT_POLICY: self = .policyMissing
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL,
            X509_V_ERR_CA_MD_TOO_WEAK, X509_V_ERR_EC_KEY_EXPLICIT_PARAMS:
            self = .weakAlgorithm
        case X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION: self = .unhandledCriticalExtension
        case X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD,
            X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD, X509_V_ERR_INVALID_EXTENSION:
            self = .malformed
        default: self = .other
        }
    }
}
