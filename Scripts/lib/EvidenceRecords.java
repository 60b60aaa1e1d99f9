import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.operator.DefaultDigestAlgorithmIdentifierFinder;
import org.bouncycastle.operator.DigestCalculator;
import org.bouncycastle.operator.DigestCalculatorProvider;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;
import org.bouncycastle.tsp.TimeStampRequestGenerator;
import org.bouncycastle.tsp.TimeStampResponse;
import org.bouncycastle.tsp.ers.ERSArchiveTimeStamp;
import org.bouncycastle.tsp.ers.ERSArchiveTimeStampGenerator;
import org.bouncycastle.tsp.ers.ERSByteData;
import org.bouncycastle.tsp.ers.ERSData;
import org.bouncycastle.tsp.ers.ERSDataGroup;
import org.bouncycastle.tsp.ers.ERSEvidenceRecord;
import org.bouncycastle.tsp.ers.ERSEvidenceRecordGenerator;

/**
 * Evidence records (RFC 4998) by Bouncy Castle.
 *
 * verify RECORD FILE...              several files are a group
 * request DIGEST REQUEST FILES...    FILES: one data object each; a,b is a group
 * build DIGEST REPLY PREFIX FILES... writes PREFIX0.ers and so on
 * renew-request RECORD REQUEST; renew RECORD REPLY OUT
 * rehash-request DIGEST RECORD REQUEST FILE; rehash DIGEST RECORD REPLY OUT FILE
 */
public class EvidenceRecords {
    private static final DigestCalculatorProvider digests = provider();

    private static DigestCalculatorProvider provider() {
        try {
            return new JcaDigestCalculatorProviderBuilder()
                .setProvider(new BouncyCastleProvider()).build();
        } catch (Exception problem) {
            throw new IllegalStateException(problem);
        }
    }

    public static void main(String[] given) throws Exception {
        switch (given[0]) {
            case "verify": verify(given); break;
            case "request": {
                TimeStampRequestGenerator generator = generator();
                write(given[2], filled(given, 3).generateTimeStampRequest(generator).getEncoded());
                break;
            }
            case "build": {
                ERSArchiveTimeStampGenerator tree = filled(given, 4);
                List<ERSArchiveTimeStamp> stamps = tree.generateArchiveTimeStamps(reply(given[2]));
                int number = 0;
                for (ERSEvidenceRecord record
                        : new ERSEvidenceRecordGenerator(digests).generate(stamps)) {
                    write(given[3] + number++ + ".ers", record.getEncoded());
                }
                break;
            }
            case "renew-request":
                write(given[2], record(given[1]).generateTimeStampRenewalRequest(generator())
                    .getEncoded());
                break;
            case "renew":
                write(given[3], record(given[1]).renewTimeStamp(reply(given[2])).getEncoded());
                break;
            case "rehash-request":
                write(given[3], record(given[2]).generateHashRenewalRequest(
                    digest(given[1]), data(given[4]), generator()).getEncoded());
                break;
            case "rehash":
                write(given[4], record(given[2]).renewHash(
                    digest(given[1]), data(given[5]), reply(given[3])).getEncoded());
                break;
            default: throw new IllegalArgumentException(given[0]);
        }
    }

    private static void verify(String[] given) throws Exception {
        ERSEvidenceRecord record = record(given[1]);
        record.validate(new JcaSimpleSignerInfoVerifierBuilder()
            .setProvider(new BouncyCastleProvider()).build(record.getSigningCertificate()));
        String files = String.join(",", Arrays.copyOfRange(given, 2, given.length));
        record.validatePresent(data(files), new Date());
        System.out.println("valid");
    }

    private static ERSArchiveTimeStampGenerator filled(String[] given, int first)
            throws Exception {
        ERSArchiveTimeStampGenerator tree = new ERSArchiveTimeStampGenerator(digest(given[1]));
        for (int index = first; index < given.length; index++) tree.addData(data(given[index]));
        return tree;
    }

    private static ERSData data(String files) throws Exception {
        List<ERSData> all = new ArrayList<>();
        for (String file : files.split(",")) {
            all.add(new ERSByteData(Files.readAllBytes(Path.of(file))));
        }
        return all.size() == 1 ? all.get(0) : new ERSDataGroup(all);
    }

    private static DigestCalculator digest(String name) throws Exception {
        AlgorithmIdentifier identifier = new DefaultDigestAlgorithmIdentifierFinder().find(name);
        return digests.get(identifier);
    }

    private static TimeStampRequestGenerator generator() {
        TimeStampRequestGenerator generator = new TimeStampRequestGenerator();
        generator.setCertReq(true);
        return generator;
    }

    private static ERSEvidenceRecord record(String path) throws Exception {
        return new ERSEvidenceRecord(Files.readAllBytes(Path.of(path)), digests);
    }

    private static TimeStampResponse reply(String path) throws Exception {
        return new TimeStampResponse(Files.readAllBytes(Path.of(path)));
    }

    private static void write(String path, byte[] bytes) throws Exception {
        Files.write(Path.of(path), bytes);
    }
}
